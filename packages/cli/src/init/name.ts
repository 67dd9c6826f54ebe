const MAX_LENGTH = 40;

/** The names of a service: `pet-store` in paths, `pet store` for its database, and four characters for the files of it. */
export type ServiceName = { readonly kebab: string; readonly words: string; readonly code: string };

/** Derives the names of a service from a title; without a Latin letter to begin with, it is called `service`. */
export function toServiceName(title: string): ServiceName {
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
