import type { Secret } from './curl-line.ts';

/** Replaces secrets in a text by the names of their variables, also where they are encoded for a URL or as Basic. */
export function hideSecrets(text: string, secrets: readonly Secret[]): string {
  return secrets.reduce(
    (hidden, { variable, value }) =>
      spellingsOf(value).reduce((shorter, spelling) => shorter.replaceAll(spelling, () => `$${variable}`), hidden),
    text,
  );
}

function spellingsOf(value: string): readonly string[] {
  if (value === '') return [];
  const base64 = [`user:${value}`, value].map((text) => Buffer.from(text).toString('base64'));
  return [value, encodeURIComponent(value.toWellFormed()), ...base64];
}
