/** Returns an object with one member to spread into another; an empty object when the value is `undefined`. */
export function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<Name, Value>>); // A computed name widens.
}

/** Maps the values of an object. */
export function mapValues<In, Out>(
  record: Readonly<Record<string, In>>,
  map: (value: In, key: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** Returns an object or a list; `undefined` when it is empty. */
export function nonEmpty<Value extends object>(value: Value): Value | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}

/** Maps the values of an object, and leaves out those whose result is `undefined`. */
export function mapDefined<In, Out>(
  record: Readonly<Record<string, In>>,
  map: (value: In, key: string) => Out | undefined,
): Readonly<Record<string, Out>> {
  const entries = Object.entries(record).map(([key, value]) => [key, map(value, key)] as const);
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, Out] => entry[1] !== undefined));
}
