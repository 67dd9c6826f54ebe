import type { WireRequest } from './wire-request.ts';

/**
 * Formats a request as a curl command for a POSIX shell that sends the same bytes. The token is replaced by the variable
 * TOKEN, so that it is not logged.
 */
export function curlLine(
  { method, target, headers, body, hasWholeUrl = false }: WireRequest,
  baseUrl: string,
  token: string | undefined,
): string {
  // By default, curl waits for a body after HEAD, normalizes the path and expands brackets.
  const parts = ['curl -sSi --path-as-is -g', method === 'HEAD' ? '--head' : `-X ${method}`];
  const url = quote(new URL(baseUrl).origin + target, token);
  if (hasWholeUrl) parts.push(`--request-target ${url}`);
  parts.push(url);
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

/** Formats bytes for printf(1), with octal escapes for all but plain ASCII. */
function octal(bytes: Buffer): string {
  const escape = (byte: number): string => {
    const character = String.fromCharCode(byte);
    if (character === '%') return '%%';
    return /[ -~]/.test(character) && !/['\\]/.test(character) ? character : `\\${byte.toString(8).padStart(3, '0')}`;
  };
  return [...bytes].map(escape).join('');
}
