/** The names that schemas have for their authors, by the name of the component, where it may be another. */
export type SchemaNames = ReadonlyMap<string, readonly string[]>;

/** Returns a name, with a number if it is taken: `getPets`, `getPets2`. */
export function unusedName(base: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}${String(number)}`;
    if (!isTaken(name)) return name;
  }
}

/** Capitalizes the first character of a text. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
