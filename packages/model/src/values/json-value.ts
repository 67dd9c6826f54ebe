/** A JSON value with exact integers: integers that a double cannot represent are bigints. */
export type Json = null | boolean | number | bigint | string | JsonArray | JsonObject;
export type JsonArray = readonly Json[];
export type JsonObject = { readonly [name: string]: Json };

/** The path to a part of a value: property names and indices. The empty path refers to the value itself. */
export type Place = readonly (string | number)[];

export function isArray(value: Json): value is JsonArray {
  return Array.isArray(value);
}

export function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether a value is a number: an integer may be a bigint. */
export function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Returns whether a value is a string, number or boolean. */
export function isScalar(value: Json): boolean {
  return value !== null && !isArray(value) && !isObject(value);
}

/** Returns an object; an empty object for another value. */
export function objectOrEmpty(value: Json | undefined): JsonObject {
  return value !== undefined && isObject(value) ? value : {};
}

/** Returns the members of an object or the items of an array by index; an empty list for other values. */
export function membersOf(value: Json): readonly (readonly [string | number, Json])[] {
  if (isArray(value)) return value.map((item, index) => [index, item] as const);
  return isObject(value) ? Object.entries(value) : [];
}

/** Lists up to `limit` places of a value, breadth first. */
export function placesOf(value: Json, limit: number): Place[] {
  const found: { place: Place; part: Json }[] = [{ place: [], part: value }];
  // The loop also visits places that are added meanwhile.
  for (const { place, part } of found) {
    if (found.length >= limit) break;
    for (const [key, member] of membersOf(part)) found.push({ place: [...place, key], part: member });
  }
  return found.slice(0, limit).map(({ place }) => place);
}

/** Returns the part of a value at a place; null if it is absent. */
export function partAt(value: Json, [key, ...rest]: Place): Json {
  if (key === undefined) return value;
  const isThere = isArray(value)
    ? typeof key === 'number' && key in value
    : isObject(value) && Object.hasOwn(value, key);
  return isThere ? partAt((value as Readonly<Record<string | number, Json>>)[key] ?? null, rest) : null;
}

/** Copies a value and replaces the part at a place, or adds it to an object. */
export function replaceAt(value: Json, [key, ...rest]: Place, replacement: Json): Json {
  if (key === undefined) return replacement;
  const part = rest.length === 0 ? replacement : replaceAt(partAt(value, [key]), rest, replacement);
  if (isArray(value)) return value.map((item, index) => (index === key ? part : item));
  return isObject(value) ? { ...value, [key]: part } : value;
}

/** Copies a value without the part at a place, which must not be empty. */
export function removeAt(value: Json, place: Place): Json {
  const key = place.at(-1);
  const holder = place.slice(0, -1);
  const part = partAt(value, holder);
  const rest = membersOf(part).filter(([name]) => name !== key);
  return replaceAt(value, holder, isArray(part) ? rest.map(([, item]) => item) : Object.fromEntries(rest));
}
