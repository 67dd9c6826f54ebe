import type { Secret } from '@contract-first/command-line/options';
import { percentEncode } from './parameter-text.ts';

/** A text derived from a secret, and the POSIX shell expansion that produces it. */
export type SecretForm = {
  readonly text: string;
  /** The variable, such as `$TOKEN`. */
  readonly label: string;
  readonly expansion: string;
};

const SHORT_CHARS = 4;

/**
 * Returns the texts that the checks send for a secret: the secret and modified copies, each as plain text,
 * percent-encoded and as Basic credentials. Longest first.
 */
function formsOf({ variable, value }: Secret): readonly SecretForm[] {
  const printed = `printf %s "$${variable}"`;
  const middle = value.length >> 1;
  const changed: readonly Omit<SecretForm, 'label'>[] = [
    { text: value, expansion: `$${variable}` },
    { text: `${value}x`, expansion: `\${${variable}}x` },
    { text: value + value, expansion: `$${variable}$${variable}` },
    { text: value.slice(0, -1), expansion: `\${${variable}%?}` },
    { text: value.slice(1), expansion: `\${${variable}#?}` },
    { text: value.toUpperCase(), expansion: `$(${printed} | tr a-z A-Z)` },
    { text: value.toLowerCase(), expansion: `$(${printed} | tr A-Z a-z)` },
    ...['x', 'y'].map((other) => ({
      text: value.slice(0, middle) + other + value.slice(middle + 1),
      expansion: `$(${printed} | sed 's/./${other}/${String(middle + 1)}')`,
    })),
  ];
  // Shell programs may change other characters differently.
  const isPlain = /^[!-~]+$/.test(value);
  const forms = changed
    .filter(({ text }) => text === value || (isPlain && text.length >= SHORT_CHARS))
    .flatMap(withEncodings)
    .map((form) => ({ ...form, label: `$${variable}` }));
  return forms.filter(({ text }) => text !== '').sort((one, other) => other.text.length - one.text.length);
}

/** Adds the Basic credentials (a text without a colon is a password) and the percent-encoded form of a text. */
function withEncodings(form: Omit<SecretForm, 'label'>): readonly Omit<SecretForm, 'label'>[] {
  const { text, expansion } = form;
  const [pair, format] = text.includes(':') ? [text, '%s'] : [`user:${text}`, 'user:%s'];
  const basic = `$(printf ${format} "${expansion}" | base64 | tr -d '\\n')`;
  // Encodes all bytes, which is equivalent (RFC 3986, 6.2.2.2) and reveals no characters of the secret.
  const percent = `$(printf %s "${expansion}" | od -An -v -tx1 | tr -d ' \\n' | sed 's/../%&/g')`;
  return [
    form,
    { text: Buffer.from(pair).toString('base64'), expansion: basic },
    { text: percentEncode(text.toWellFormed()), expansion: percent },
  ];
}

/** Finds secrets in texts. In a credential, a short secret may be adjacent to letters. */
export type SecretSearch = {
  /** Splits a text at its secrets. Replaces parts of long secrets with their variables. */
  readonly split: (text: string, isCredential?: boolean) => readonly (string | SecretForm)[];
  /** Replaces secrets with their variables. */
  readonly hide: (text: string, isCredential?: boolean) => string;
};

// Shorter texts occur inside words by chance.
const LONG_CHARS = 16;
const PART_CHARS = 8;

/**
 * Creates a case-insensitive search for secrets in common encodings. Finds a short secret only if no letter or digit is
 * adjacent: `test` does not match in `latest`.
 *
 * @param learned secrets from messages, which are not sent in other forms
 */
export function createSecretSearch(secrets: readonly Secret[], learned: readonly Secret[] = []): SecretSearch {
  const all = [
    ...secrets.flatMap((secret) => [...formsOf(secret), ...encodedForms(secret)]),
    ...learned.flatMap((secret) => spellingsOf(secret.value).map((text) => ({ text, ...named(secret) }))),
  ].filter(({ text }) => text !== '');
  // Longest first, since a secret may begin with a shorter secret.
  const sorted = all.toSorted((one, other) => other.text.length - one.text.length);
  const forms = Map.groupBy(sorted, ({ text }) => startOf(lowerCase(text), 0));
  const parts = partsOf(secrets);
  return { split, hide };

  function split(text: string, isCredential = false): readonly (string | SecretForm)[] {
    const lower = lowerCase(text);
    const pieces: (string | SecretForm)[] = [];
    let shown = 0;
    for (let at = 0; at < text.length;) {
      const form = forms.get(startOf(lower, at))?.find((one) => isAt(one.text, lower, at, isCredential));
      if (form === undefined) {
        at += 1;
        continue;
      }
      if (shown < at) pieces.push(text.slice(shown, at));
      pieces.push(form);
      at = shown = at + form.text.length;
    }
    if (shown < text.length) pieces.push(text.slice(shown));
    return pieces.map((piece) => (typeof piece === 'string' ? hideParts(piece) : piece));
  }

  function hide(text: string, isCredential = false): string {
    return split(text, isCredential)
      .map((piece) => (typeof piece === 'string' ? piece : piece.label))
      .join('');
  }

  function hideParts(text: string): string {
    if (parts.size === 0) return text;
    const lower = lowerCase(text);
    let hidden = '';
    let shown = 0;
    for (let at = 0; at + PART_CHARS <= text.length; at += 1) {
      const label = parts.get(startOf(lower, at))?.get(lower.slice(at, at + PART_CHARS));
      if (label === undefined) continue;
      // Overlapping parts are replaced once.
      const isNext = at < shown || (at === shown && hidden.endsWith(label));
      if (!isNext) hidden += text.slice(shown, at) + label;
      shown = at + PART_CHARS;
    }
    return hidden + text.slice(shown);
  }
}

function isAt(secret: string, text: string, at: number, isCredential: boolean): boolean {
  if (!text.startsWith(lowerCase(secret), at)) return false;
  if (isCredential || secret.length >= LONG_CHARS) return true;
  const end = at + secret.length;
  return !(isWord(text, at - 1) && isWord(text, at)) && !(isWord(text, end - 1) && isWord(text, end));
}

function isWord(text: string, at: number): boolean {
  return /[\p{L}\p{N}_]/u.test(text.charAt(at));
}

/** Returns the lower-case parts of long secrets with their variables, by their first characters. */
function partsOf(secrets: readonly Secret[]): ReadonlyMap<number, ReadonlyMap<string, string>> {
  const parts = new Map<number, Map<string, string>>();
  for (const secret of secrets) {
    if (secret.value.length < LONG_CHARS) continue;
    const texts = [...encodingsOf(secret.value), ...formsOf(secret).map(({ text }) => text)].map(lowerCase);
    for (const text of texts)
      for (let at = 0; at + PART_CHARS <= text.length; at += 1) {
        const part = text.slice(at, at + PART_CHARS);
        const start = startOf(part, 0);
        parts.set(start, (parts.get(start) ?? new Map<string, string>()).set(part, `$${secret.variable}`));
      }
  }
  return parts;
}

function encodedForms(secret: Secret): readonly SecretForm[] {
  const texts = secret.value.length < SHORT_CHARS ? [] : encodingsOf(secret.value);
  return texts.filter((text) => text.length >= SHORT_CHARS).map((text) => ({ text, ...named(secret) }));
}

function named({ variable }: Secret): Pick<SecretForm, 'label' | 'expansion'> {
  return { label: `$${variable}`, expansion: `$${variable}` };
}

/** Returns a numeric key for two characters at an index. */
function startOf(text: string, at: number): number {
  return text.charCodeAt(at) * 0x1_0000 + text.charCodeAt(at + 1);
}

/** Converts ASCII to lower case, which preserves the length. */
function lowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function encodingsOf(value: string): readonly string[] {
  if (value === '') return [];
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  return [
    ...spellingsOf(value),
    hex,
    hex.replaceAll(/../g, '%$&'),
    Buffer.from(`user:${value}`).toString('base64'),
    ...[0, 1, 2].flatMap((before) => base64Within(bytes, before)),
  ];
}

/** Returns the encodings of a text in URLs, forms, JSON and base64. */
function spellingsOf(value: string): readonly string[] {
  const encoded = encodeURIComponent(value.toWellFormed());
  const base64 = value.length < PART_CHARS ? [] : [Buffer.from(value).toString('base64').replace(/=+$/, '')];
  return [...new Set([value, encoded, encoded.replaceAll('%20', '+'), JSON.stringify(value).slice(1, -1), ...base64])];
}

/**
 * Returns the base64 characters that depend only on these bytes.
 *
 * @param before the number of preceding bytes in the group of three
 */
function base64Within(bytes: Buffer, before: number): readonly string[] {
  const all = Buffer.concat([Buffer.alloc(before), bytes]);
  const characters = (count: number): number => (count * 8) / 6;
  const [start, end] = [Math.ceil(characters(before)), Math.floor(characters(all.length))];
  return (['base64', 'base64url'] as const)
    .map((encoding) => all.toString(encoding).slice(start, end))
    .filter((text) => text.length >= PART_CHARS);
}
