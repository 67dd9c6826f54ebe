import type { WireRequest } from './wire-request.ts';

/**
 * A request as a command for a POSIX shell, byte for byte. The token is left to the variable TOKEN, so that it is not
 * in any log.
 */
export function curlLine(
  { method, target, headers, body }: WireRequest,
  baseUrl: string,
  token: string | undefined,
): string {
  // curl would ask for HEAD's body, clean the path and expand brackets on its own.
  const parts = ['curl -sSi --path-as-is -g', method === 'HEAD' ? '--head' : `-X ${method}`];
  parts.push(quote(new URL(baseUrl).origin + target, token));
  for (const [name, value] of headers)
    parts.push(`-H ${quote(value === '' ? `${name};` : `${name}: ${value}`, token)}`);
  if (body === undefined) return parts.join(' ');
  if (!headers.some(([name]) => name.toLowerCase() === 'content-type')) parts.push("-H 'Content-Type:'");
  const text = body.toString();
  const isPlain = Buffer.from(text).equals(body) && !/[\p{C}]/u.test(text) && !text.startsWith('@');
  if (isPlain) return [...parts, `--data-binary ${quote(text, token)}`].join(' ');
  return `printf '${octal(body)}' | ${[...parts, '--data-binary @-'].join(' ')}`;
}

function quote(text: string, token: string | undefined): string {
  const pieces = token === undefined || token === '' ? [text] : text.split(token);
  const quoted = pieces.map((piece) => (piece === '' ? '' : `'${piece.replaceAll("'", "'\\''")}'`));
  return quoted.join('"$TOKEN"') || "''";
}

/** The format string of printf(1) for some bytes: what is not plain ASCII as octal escapes, which every shell knows. */
function octal(bytes: Buffer): string {
  const escape = (byte: number): string => {
    const character = String.fromCharCode(byte);
    if (character === '%') return '%%';
    return /[ -~]/.test(character) && !/['\\]/.test(character) ? character : `\\${byte.toString(8).padStart(3, '0')}`;
  };
  return [...bytes].map(escape).join('');
}
