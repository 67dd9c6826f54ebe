import {
  isArray,
  isObject,
  membersOf,
  partAt,
  placesOf,
  removeAt,
  type Json,
  type JsonObject,
  type Place,
} from '../values/json-value.ts';

/** A body of a failure is read up to this number of places. */
export const MAX_PLACES = 100;
/** Optional members are kept down to this depth. */
const MAX_DEPTH = 2;
/** The names of members that hold the message of a failure. */
export const MESSAGE = /message|detail|description|title|reason|text|^error$/i;
/** The names of members that hold its status. */
export const STATUS = /status|code|^error$/i;
/** The names of members that hold violations. */
export const LIST = /^$|error|violation|detail|problem|issue|invalid|reason|cause|message|field/i;
/** The names of members that hold the place of a violation. */
export const PLACE =
  /^(?:place|field|path|location|loc|property|param|parameter|name|source|target|key|attribute)(?:_?(?:name|path))?$/i;

/** Removes optional parts of a value, except members whose names promise details of a failure. */
export function pruneFailure(base: Json, isValid: (value: Json) => boolean): Json {
  return placesOf(base, MAX_PLACES).reduce<Json>((value, place) => {
    const isThere = membersOf(partAt(value, place.slice(0, -1))).some(([key]) => key === place.at(-1));
    const isItem = typeof place.at(-1) === 'number' && LIST.test(nameOf(place));
    if (!isThere || isItem || hasDetails(partAt(value, place), place)) return value;
    const smaller = removeAt(value, place);
    return isValid(smaller) ? smaller : value;
  }, base);
}

/** Whether a part of a value has a member whose name promises a detail, and which is not too deep. */
function hasDetails(part: Json, place: Place): boolean {
  const names = place.filter((key) => typeof key === 'string');
  const name = nameOf(place);
  const isInList = names.length < place.length;
  if (names.length > MAX_DEPTH) return false;
  if (isObject(part)) return Object.entries(part).some(([key, member]) => hasDetails(member, [...place, key]));
  if (isArray(part)) {
    const [item = null] = part;
    const hasText = typeof item === 'string' || (isObject(item) && textIn(item, MESSAGE) !== undefined);
    return LIST.test(name) && !isInList && hasText;
  }
  if (typeof part === 'number' || typeof part === 'bigint') return STATUS.test(name);
  return typeof part === 'string' && [MESSAGE, STATUS, ...(isInList ? [PLACE] : [])].some((form) => form.test(name));
}

/** Returns the first member that is a text of such a name. */
export function textIn(object: JsonObject, names: RegExp, other?: string): string | undefined {
  return Object.keys(object).find((name) => names.test(name) && name !== other && typeof object[name] === 'string');
}

/** Returns the name of the member at a place; of an item, that of its list. */
export function nameOf(place: Place): string {
  return place.findLast((key) => typeof key === 'string') ?? '';
}
