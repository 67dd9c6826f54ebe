/** Returns an object with one member to spread into another; an empty object when the value is `undefined`. */
export function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<Name, Value>>); // A computed name widens.
}
