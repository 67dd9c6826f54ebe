import { idText } from '../../resources/identity-place.ts';
import { findPaging, isSorting } from '../../resources/paging.ts';
import { snakeCase } from '../../resources/resource-names.ts';
import { isArray, isObject, partAt, type Json, type JsonObject } from '../../values/json-value.ts';
import { pageOf, type Page, type PageRequest } from './page.ts';

/** The request for a page, and the list. */
type Selection = PageRequest & {
  /** The members of an item; those with an `enum` have its values. */
  readonly members: ReadonlyMap<string, readonly Json[] | undefined>;
};

const DIRECTION = /^(?:asc|desc)(?:ending)?$/i;

/**
 * Selects the items of a page, as far as the names of the query parameters show it: filters are named like a member of the
 * items.
 */
export function selectPage(items: readonly JsonObject[], selection: Selection): Page<JsonObject> {
  const { operation, query } = selection;
  const members = [...selection.members.keys()];
  const paging = Object.values(findPaging(operation));
  const others = operation.parameters.filter((parameter) => parameter.in === 'query' && !paging.includes(parameter));
  const sorting = others.filter(isSorting);
  const filters = others.flatMap((parameter) => {
    const own = snakeCase(parameter.name.replace(/^filters?\[(\w+)\]$/, '$1'));
    const member = members.find((name) => snakeCase(name) === own);
    const value = query[parameter.name];
    if (sorting.includes(parameter) || member === undefined || value === undefined) return [];
    // A value that no item can have, such as `all`, does not filter.
    const values = selection.members.get(member);
    return values === undefined || values.some((one) => fits(one, value)) ? [{ member, value }] : [];
  });
  const isFound = (item: JsonObject): boolean =>
    filters.every(({ member, value }) => fits(partAt(item, [member]), value));
  const found = filters.length === 0 ? items : items.filter(isFound);
  return pageOf(
    sorted(
      found,
      sorting.map(({ name }) => query[name] ?? ''),
      members,
    ),
    selection,
  );
}

/** Returns whether a member has a value, or one of several. */
function fits(member: Json, wanted: Json): boolean {
  if (isObject(wanted)) return true; // Its meaning is not documented.
  const texts = (value: Json): readonly string[] => (isArray(value) ? value : [value]).map(idText);
  const allowed = isArray(member) && typeof wanted === 'string' ? wanted.split(',') : texts(wanted);
  return texts(member).some((text) => allowed.includes(text));
}

/** Sorts by texts such as `name`, `-name`, `name:desc` and `desc`. */
function sorted(
  items: readonly JsonObject[],
  values: readonly Json[],
  members: readonly string[],
): readonly JsonObject[] {
  const texts = values
    .flatMap((value) => (isArray(value) ? value : [value]))
    .flatMap((text) => idText(text).split(','));
  const keys = texts.flatMap((text) => {
    const [, sign = '', name = '', direction = ''] =
      /^([-+]?)(.*?)(?:[\s:._]+(asc|desc)(?:ending)?)?$/i.exec(text.trim()) ?? [];
    const member = members.find((one) => snakeCase(one) === snakeCase(name));
    return member === undefined ? [] : [{ member, isDown: sign === '-' || /^desc/i.test(direction) }];
  });
  const isReversed = texts.some((text) => DIRECTION.test(text.trim()) && /^desc/i.test(text.trim()));
  if (keys.length === 0) return items;
  return items.toSorted((one, other) => {
    for (const { member, isDown } of keys) {
      const order = compare(partAt(one, [member]), partAt(other, [member]));
      if (order !== 0) return isDown !== isReversed ? -order : order;
    }
    return 0;
  });
}

function compare(one: Json, other: Json): number {
  if (isNumber(one) && isNumber(other)) return one < other ? -1 : Number(one > other);
  const [a, b] = [idText(one), idText(other)];
  return a < b ? -1 : Number(a > b);
}

function isNumber(value: Json): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
