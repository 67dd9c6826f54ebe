import { formsOf, type Secret, type SecretForm } from './secrets.ts';
import type { WireRequest } from './wire-request.ts';

/**
 * Formats a request as a curl command for a POSIX shell that sends the same bytes. Secrets are replaced by variables.
 *
 * @param variables are in the request already, as `$NAME`
 */
export function curlLine(
  { method, target, headers, body, hasWholeUrl = false }: WireRequest,
  baseUrl: string,
  secrets: readonly Secret[],
  variables: readonly string[] = [],
): string {
  const names = variables.map((name) => `$${name}`).sort((one, other) => other.length - one.length);
  const forms = [...allForms(secrets), ...names.map((text) => ({ text, expansion: text }))];
  // By default, curl waits for a body after HEAD, normalizes the path and expands brackets.
  const parts = ['curl -sSi --path-as-is -g', method === 'HEAD' ? '--head' : `-X ${method}`];
  const url = quoteAround(new URL(baseUrl).origin + target, forms);
  if (hasWholeUrl) parts.push(`--request-target ${url}`);
  parts.push(url);
  for (const [name, value] of headers) {
    const field = value === '' ? `${name};` : `${name}: ${value}`;
    // An entity tag of a response may have control characters, which a terminal would interpret.
    const isPlain = !/\p{Cc}/u.test(field);
    parts.push(isPlain ? `-H ${quoteAround(field, forms)}` : `-H "$(printf '${octal(Buffer.from(field, 'latin1'))}')"`);
  }
  if (body === undefined) return parts.join(' ');
  if (!headers.some(([name]) => name.toLowerCase() === 'content-type')) parts.push("-H 'Content-Type:'");
  const text = body.toString();
  const isPlain = Buffer.from(text).equals(body) && !/[\p{C}]/u.test(text) && !text.startsWith('@');
  if (isPlain) return [...parts, `--data-binary ${quoteAround(text, forms)}`].join(' ');
  return `printf '${octal(body)}' | ${[...parts, '--data-binary @-'].join(' ')}`;
}

/** Quotes a text for a POSIX shell. Secrets are replaced by expansions of their variables. */
export function quote(text: string, secrets: readonly Secret[] = []): string {
  return quoteAround(text, allForms(secrets));
}

/** Returns the forms of all secrets, the longest first: a part of one secret may be another one. */
function allForms(secrets: readonly Secret[]): readonly SecretForm[] {
  return secrets.flatMap(formsOf).sort((one, other) => other.text.length - one.text.length);
}

function quoteAround(text: string, [form, ...others]: readonly SecretForm[]): string {
  if (text === '') return "''";
  if (form === undefined) return `'${text.replaceAll("'", "'\\''")}'`;
  const pieces = text.split(form.text);
  return pieces.map((piece) => (piece === '' ? '' : quoteAround(piece, others))).join(`"${form.expansion}"`);
}

/** Formats bytes for printf(1), with octal escapes for all but plain ASCII. */
function octal(bytes: Buffer): string {
  const escape = (byte: number, index: number): string => {
    const character = String.fromCharCode(byte);
    if (character === '%') return '%%';
    // A format that starts with a hyphen, as multipart bodies do, would be an option.
    const isPlain = /[ -~]/.test(character) && !/['\\]/.test(character) && !(character === '-' && index === 0);
    return isPlain ? character : `\\${byte.toString(8).padStart(3, '0')}`;
  };
  return [...bytes].map(escape).join('');
}
