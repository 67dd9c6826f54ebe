const MAX_LENGTH = 40;

/**
 * Derives the names of a service from a title: `pet-store` in paths, `pet store` for its database, and four characters for the
 * files of it. Without a Latin letter to begin with, it is called `service`.
 */
export function toServiceName(title: string): Readonly<Record<'kebab' | 'words' | 'code', string>> {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const start = words.findIndex((word) => /^[a-z]/.test(word));
  let kebab = '';
  for (const word of start === -1 ? [] : words.slice(start)) {
    const longer = kebab === '' ? word.slice(0, MAX_LENGTH) : `${kebab}-${word}`;
    if (longer.length > MAX_LENGTH) break;
    kebab = longer;
  }
  if (kebab === '') kebab = 'service';
  return { kebab, words: kebab.replaceAll('-', ' '), code: kebab.replaceAll('-', '').padEnd(4, '_').slice(0, 4) };
}
