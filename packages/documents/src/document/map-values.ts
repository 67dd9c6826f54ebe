/** Returns an object with one member, for a spread; an empty object if the value is `undefined`. */
export function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<Name, Value>>); // TypeScript widens the name.
}

/** Maps the values of an object. */
export function mapValues<In, Out>(
  record: Readonly<Record<string, In>>,
  map: (value: In, key: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** Returns an object or list unless it is empty, else `undefined`. */
export function nonEmpty<Value extends object>(value: Value): Value | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}

/** Maps the values of an object and omits `undefined` results. */
export function mapDefined<In, Out>(
  record: Readonly<Record<string, In>>,
  map: (value: In, key: string) => Out | undefined,
): Readonly<Record<string, Out>> {
  const entries = Object.entries(record).map(([key, value]) => [key, map(value, key)] as const);
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, Out] => entry[1] !== undefined));
}
