import { findPaging, idText, isSorting, snakeCase } from '@contract-first/model/resources';
import {
  isArray,
  isNumber,
  isObject,
  isScalar,
  type Json,
  type JsonObject,
  membersOf,
  partAt,
  type Place,
} from '@contract-first/model/values';
import { takePage, type Page, type PageRequest } from './page.ts';

/** A member of list items: its place in an item, and the values of its `enum`, if any. */
export type ItemMember = { readonly place: Place; readonly values: readonly Json[] | undefined };

/** A request for a page, with the members of the items by name. */
type Selection = PageRequest & { readonly members: ReadonlyMap<string, ItemMember> };

// The maximum number of members in a sort order.
const MAX_KEYS = 20;
const MAX_NAME = 200;
/** Matches the names of parameters that search all texts of an item. */
const SEARCH = /^(?:q|query|search(?:_(?:term|text|query))?|keywords?)$/;
const DIRECTION = /^(?:asc|desc)(?:ending)?$/i;

/**
 * Filters, sorts and pages items by the names of the query parameters. A filter has the name of a member.
 */
export function selectPage(items: readonly JsonObject[], selection: Selection): Page<JsonObject> {
  const { operation, query, members } = selection;
  // Longer texts are not names, and converted names are cached.
  const memberOf = (text: string): ItemMember | undefined =>
    text.length > MAX_NAME ? undefined : members.entries().find(([name]) => snakeCase(name) === snakeCase(text))?.[1];
  const paging = Object.values(findPaging(operation));
  const others = operation.parameters.filter((parameter) => parameter.in === 'query' && !paging.includes(parameter));
  const sorting = others.filter(isSorting);
  const filters = others.flatMap((parameter) => {
    const name = parameter.name.replace(/^filters?\[(\w+)\]$/, '$1');
    const value = query[parameter.name];
    if (sorting.includes(parameter) || value === undefined) return [];
    // `tag` filters `tags` and `tagList`; a list `ids` filters `id`.
    const names = [name, `${name}s`, `${name}_list`, ...(isArray(value) ? [name.replace(/s$/, '')] : [])];
    const member = names.map(memberOf).find((one) => one !== undefined);
    if (member === undefined && typeof value === 'string' && SEARCH.test(snakeCase(name)))
      return [{ place: [], fits: (item: Json) => contains(item, value.toLowerCase()) }];
    if (member === undefined) return [];
    // Ignores values that the member cannot have, such as `all`.
    const { place, values } = member;
    const fits = createFilter(value);
    return values === undefined || values.some(fits) ? [{ place, fits }] : [];
  });
  const isFound = (item: JsonObject): boolean => filters.every(({ place, fits }) => fits(partAt(item, place)));
  const found = filters.length === 0 ? items : items.filter(isFound);
  return takePage(
    sorted(
      found,
      sorting.map(({ name }) => query[name] ?? ''),
      memberOf,
    ),
    selection,
  );
}

/** Returns a function that tests whether a member has a value, or one of several values. */
function createFilter(wanted: Json): (member: Json) => boolean {
  if (isObject(wanted)) return () => true; // The meaning of objects is undefined.
  const texts = (value: Json): readonly string[] => (isArray(value) ? value : [value]).map(idText);
  const whole = new Set(texts(wanted));
  const parts = typeof wanted === 'string' ? new Set(wanted.split(',')) : whole;
  const isName = typeof wanted === 'string' && !['true', 'false'].includes(wanted);
  return (member) => {
    if (typeof member === 'boolean' && isName) return member; // Such as `favorited` with the name of a user.
    const values = isObject(member) ? Object.values(member).filter(isScalar) : member;
    return texts(values).some((text) => (isArray(member) ? parts : whole).has(text));
  };
}

/** Returns whether a text in a value contains another text, which is in lower case. */
function contains(value: Json, text: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(text);
  return membersOf(value).some(([, member]) => contains(member, text));
}

/** Sorts items by texts such as `name`, `-name`, `name:desc` and `desc`. */
function sorted(
  items: readonly JsonObject[],
  values: readonly Json[],
  memberOf: (name: string) => ItemMember | undefined,
): readonly JsonObject[] {
  const texts = values
    .flatMap((value) => (isArray(value) ? value : [value]))
    .flatMap((text) => idText(text).split(',', MAX_KEYS))
    .slice(0, MAX_KEYS)
    .map((text) => text.trim());
  const keys = texts.flatMap((text) => {
    const sign = /^[-+]/.exec(text)?.[0] ?? '';
    const { name, direction } = splitDirection(text.slice(sign.length));
    const member = memberOf(name);
    return member === undefined ? [] : [{ place: member.place, isDown: sign === '-' || /^desc/i.test(direction) }];
  });
  const isReversed = texts.some((text) => DIRECTION.test(text) && /^desc/i.test(text));
  if (keys.length === 0) return items;
  return items.toSorted((one, other) => {
    for (const { place, isDown } of keys) {
      const order = compare(partAt(one, place), partAt(other, place));
      if (order !== 0) return isDown !== isReversed ? -order : order;
    }
    return 0;
  });
}

/** Splits `name:desc`. Examines only the last word, since a search from each separator would take quadratic time. */
function splitDirection(text: string): { readonly name: string; readonly direction: string } {
  const words = text.split(/[\s:._]/);
  const direction = words.at(-1) ?? '';
  if (words.length < 2 || !DIRECTION.test(direction)) return { name: text, direction: '' };
  const separator = words.findLastIndex((word, index) => index < words.length - 1 && word !== '');
  const name = text.slice(0, words.slice(0, separator + 1).join(' ').length); // Each separator is one character.
  return { name, direction };
}

function compare(one: Json, other: Json): number {
  if (isNumber(one) && isNumber(other)) return one < other ? -1 : Number(one > other);
  const [a, b] = [idText(one), idText(other)];
  return a < b ? -1 : Number(a > b);
}
