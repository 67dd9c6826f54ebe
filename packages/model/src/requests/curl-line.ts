import type { SecretForm, SecretSearch } from './secrets.ts';
import type { WireRequest } from './wire-request.ts';

/** Splits texts at the secrets in them. */
export type SplitSecrets = {
  readonly split: SecretSearch['split'];
  readonly splitHeader: (name: string, value: string) => ReturnType<SecretSearch['split']>;
  /** Splits a path with its query. */
  readonly splitTarget: SecretSearch['split'];
};

/**
 * Formats a request as a curl command for a POSIX shell, with the same bytes. Replaces secrets with variables.
 *
 * @param options further options of curl, quoted
 */
export function curlLine(
  { method, target, headers, body, hasWholeUrl = false }: WireRequest,
  baseUrl: string,
  { split, splitHeader, splitTarget }: SplitSecrets = WITHOUT_SECRETS,
  options: readonly string[] = [],
): string {
  const hidden = (pieces: ReturnType<SecretSearch['split']>): string =>
    pieces.map((piece) => (typeof piece === 'string' ? piece : piece.label)).join('');
  // By default, curl waits for a body after HEAD, normalizes the path and expands brackets.
  const parts = ['curl -sSi --path-as-is -g', ...options, method === 'HEAD' ? '--head' : `-X ${method}`];
  const url = quotePieces([new URL(baseUrl).origin, ...splitTarget(target)]);
  if (hasWholeUrl) parts.push(`--request-target ${url}`);
  parts.push(url);
  for (const [name, value] of headers) {
    const field = value === '' ? [`${name};`] : [`${name}: `, ...splitHeader(name, value)];
    // Entity tags from responses may contain control characters, which a terminal would interpret.
    const isPlain = !/\p{Cc}/u.test(name + value);
    parts.push(
      isPlain ? `-H ${quotePieces(field)}` : `-H "$(printf '${octal(Buffer.from(hidden(field), 'latin1'))}')"`,
    );
  }
  if (body === undefined) return parts.join(' ');
  if (!headers.some(([name]) => name.toLowerCase() === 'content-type')) parts.push("-H 'Content-Type:'");
  const text = body.toString();
  const isPlain = Buffer.from(text).equals(body) && !/[\p{C}]/u.test(text) && !text.startsWith('@');
  if (isPlain) return [...parts, `--data-binary ${quotePieces(split(text))}`].join(' ');
  const bytes = Buffer.from(hidden(split(body.toString('latin1'))), 'latin1');
  return `printf '${octal(bytes)}' | ${[...parts, '--data-binary @-'].join(' ')}`;
}

const WITHOUT_SECRETS: SplitSecrets = {
  split: (text) => [text],
  splitHeader: (_name, value) => [value],
  splitTarget: (text) => [text],
};

/** Splits texts at variables for secrets, such as `$TOKEN`. */
export function splitVariables(variables: readonly string[]): SplitSecrets {
  const names = new Set(variables.map((name) => `$${name}`));
  const split: SecretSearch['split'] = (text) =>
    text
      .split(/(\$[A-Z_][A-Z\d_]*)/)
      .filter((piece) => piece !== '')
      .map((piece) => (names.has(piece) ? { text: piece, label: piece, expansion: piece } : piece));
  return { split, splitHeader: (_name, value) => split(value), splitTarget: split };
}

/** Quotes a text for a POSIX shell. Replaces secrets with expansions of their variables. */
export function quoteShell(text: string, split = WITHOUT_SECRETS.split): string {
  return quotePieces(split(text));
}

function quotePieces(pieces: readonly (string | SecretForm)[]): string {
  let quoted = '';
  let literal = '';
  const endLiteral = (): void => {
    if (literal !== '') quoted += `'${literal.replaceAll("'", "'\\''")}'`;
    literal = '';
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      literal += piece;
      continue;
    }
    endLiteral();
    quoted += `"${piece.expansion}"`;
  }
  endLiteral();
  return quoted === '' ? "''" : quoted;
}

/** Formats bytes for printf(1), with octal escapes except for plain ASCII. */
function octal(bytes: Buffer): string {
  const escape = (byte: number, index: number): string => {
    const character = String.fromCharCode(byte);
    if (character === '%') return '%%';
    // A leading hyphen, as in multipart bodies, would make the format an option.
    const isPlain = /[ -~]/.test(character) && !/['\\]/.test(character) && !(character === '-' && index === 0);
    return isPlain ? character : `\\${byte.toString(8).padStart(3, '0')}`;
  };
  return [...bytes].map(escape).join('');
}
