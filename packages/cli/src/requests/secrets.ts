import { percentEncode } from './parameter-text.ts';

/** A value that is not printed; an environment variable stands for it. */
export type Secret = { readonly variable: string; readonly value: string };

/** A text that is made of a secret, and the expansion of a POSIX shell that gives the text. */
export type SecretForm = { readonly text: string; readonly expansion: string };

// Shorter parts of a secret tell little, and occur by chance.
const PART_CHARS = 8;
const SHORT_CHARS = 4;

/**
 * Returns the forms in which the checks send a secret: whole or changed, as it is, percent-encoded or as Basic credentials. The
 * longest come first.
 */
export function formsOf({ variable, value }: Secret): readonly SecretForm[] {
  const printed = `printf %s "$${variable}"`;
  const middle = value.length >> 1;
  const changed: readonly SecretForm[] = [
    { text: value, expansion: `$${variable}` },
    { text: value.slice(0, -1), expansion: `\${${variable}%?}` },
    { text: value.slice(1), expansion: `\${${variable}#?}` },
    { text: value.toUpperCase(), expansion: `$(${printed} | tr a-z A-Z)` },
    { text: value.toLowerCase(), expansion: `$(${printed} | tr A-Z a-z)` },
    ...['x', 'y'].map((other) => ({
      text: value.slice(0, middle) + other + value.slice(middle + 1),
      expansion: `$(${printed} | sed 's/./${other}/${String(middle + 1)}')`,
    })),
  ];
  // The programs of a shell may change other characters in another way.
  const isPlain = /^[!-~]+$/.test(value);
  const forms = changed
    .filter(({ text }) => text === value || (isPlain && text.length >= SHORT_CHARS))
    .flatMap(withEncodings);
  return forms.filter(({ text }) => text !== '').sort((one, other) => other.text.length - one.text.length);
}

/** Adds the Basic credentials of a text, which is a password where it has no colon, and its percent-encoded form. */
function withEncodings(form: SecretForm): readonly SecretForm[] {
  const { text, expansion } = form;
  const [pair, format] = text.includes(':') ? [text, '%s'] : [`user:${text}`, 'user:%s'];
  const basic = `$(printf ${format} "${expansion}" | base64 | tr -d '\\n')`;
  // It encodes all bytes, which means the same (RFC 3986, 6.2.2.2), and reveals no character of the secret.
  const percent = `$(printf %s "${expansion}" | od -An -v -tx1 | tr -d ' \\n' | sed 's/../%&/g')`;
  return [
    form,
    { text: Buffer.from(pair).toString('base64'), expansion: basic },
    { text: percentEncode(text.toWellFormed()), expansion: percent },
  ];
}

/** Replaces secrets in a text by the names of their variables, also parts of them, in any case and in the usual encodings. */
export function hideSecrets(text: string, secrets: readonly Secret[]): string {
  return secrets.reduce((hidden, secret) => hide(hidden, `$${secret.variable}`, partsOf(secret)), text);
}

/** The texts of a length that must not be shown, in lower case, and the codes of their first characters. */
type Parts = { readonly size: number; readonly texts: ReadonlySet<string>; readonly starts: ReadonlySet<number> };

function hide(text: string, replacement: string, parts: readonly Parts[]): string {
  const lower = lowerCase(text);
  const isHidden = new Uint8Array(text.length);
  for (const { size, texts, starts } of parts)
    for (let at = 0; at + size <= text.length; at += 1)
      if ((size === 1 || starts.has(startOf(lower, at))) && texts.has(lower.slice(at, at + size)))
        isHidden.fill(1, at, at + size);
  let shown = '';
  for (let at = 0; at < text.length;) {
    const isShown = isHidden[at] === 0;
    const next = isHidden.indexOf(isShown ? 1 : 0, at);
    const end = next === -1 ? text.length : next;
    shown += isShown ? text.slice(at, end) : replacement;
    at = end;
  }
  return shown;
}

const partsOfSecrets = new WeakMap<Secret, readonly Parts[]>();

function partsOf(secret: Secret): readonly Parts[] {
  const cached = partsOfSecrets.get(secret);
  if (cached !== undefined) return cached;
  const texts = [...encodingsOf(secret.value), ...formsOf(secret).map(({ text }) => text)];
  const bySize = Map.groupBy(texts, ({ length }) => Math.min(PART_CHARS, length));
  const parts = [...bySize].map(([size, encodings]) => {
    const texts = encodings
      .map(lowerCase)
      .flatMap((text) => Array.from({ length: text.length - size + 1 }, (_, at) => text.slice(at, at + size)));
    return { size, texts: new Set(texts), starts: new Set(texts.map((text) => startOf(text, 0))) };
  });
  partsOfSecrets.set(secret, parts);
  return parts;
}

/** Returns a number for the first two characters at a place of a text. */
function startOf(text: string, at: number): number {
  return text.charCodeAt(at) * 0x1_0000 + text.charCodeAt(at + 1);
}

/** Changes the case of ASCII only, so that the length stays. */
function lowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function encodingsOf(value: string): readonly string[] {
  if (value === '') return [];
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  return [
    value,
    encodeURIComponent(value.toWellFormed()),
    encodeURIComponent(value.toWellFormed()).replaceAll('%20', '+'),
    JSON.stringify(value).slice(1, -1),
    hex,
    hex.replaceAll(/../g, '%$&'),
    Buffer.from(`user:${value}`).toString('base64'),
    ...[0, 1, 2].flatMap((before) => base64Within(bytes, before)),
  ];
}

/**
 * Returns the base64 characters that depend on these bytes alone.
 *
 * @param before how many bytes of the last group of three precede them
 */
function base64Within(bytes: Buffer, before: number): readonly string[] {
  const all = Buffer.concat([Buffer.alloc(before), bytes]);
  const characters = (count: number): number => (count * 8) / 6;
  const [start, end] = [Math.ceil(characters(before)), Math.floor(characters(all.length))];
  return (['base64', 'base64url'] as const)
    .map((encoding) => all.toString(encoding).slice(start, end))
    .filter((text) => text.length >= PART_CHARS);
}
