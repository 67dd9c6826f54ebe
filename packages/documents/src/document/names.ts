/** The names that authors gave to schemas, by component name. A component of the document itself may be absent. */
export type SchemaNames = ReadonlyMap<string, readonly string[]>;

/** Returns a name, with a number if it is taken: `getPets`, `getPets2`. */
export function unusedName(base: string, isTaken: (name: string) => boolean, separator = ''): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}${separator}${String(number)}`;
    if (!isTaken(name)) return name;
  }
}

/** Capitalizes the first character of a text. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the name that a misspelled name resembles most; `undefined` if none is similar. */
export function closestName(name: string, names: readonly string[]): string | undefined {
  const distances = names.map((other) => [distance(name.toLowerCase(), other.toLowerCase()), other] as const);
  const [closest] = distances.toSorted(([one], [other]) => one - other);
  return closest !== undefined && closest[0] <= Math.max(1, name.length / 3) ? closest[1] : undefined;
}

/** Returns the number of characters to insert, delete or replace (Levenshtein distance). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_item, index) => index);
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + Number(one.charAt(index) !== other.charAt(column - 1));
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
