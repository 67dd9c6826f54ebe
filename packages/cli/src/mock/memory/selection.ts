import { stringifyJson } from '@contract-first/contract';
import type { ApiOperation, Parameter } from '../../operations/api-operation.ts';
import { idText } from '../../resources/identity-place.ts';
import { findPaging, firstOffset, firstPage, isSorting } from '../../resources/paging.ts';
import { snakeCase } from '../../resources/resource-names.ts';
import { isArray, isObject, isScalar, type Json, type JsonObject } from '../../values/json-value.ts';
import type { Oracle } from '../../values/oracle.ts';

/** The values of a query, by name. */
export type Query = Readonly<Record<string, Json | undefined>>;

/** One page of a list. */
export type Page<Item = Json> = {
  readonly items: readonly Item[];
  /** The number of items of all pages. */
  readonly total: number;
  readonly from: number;
  readonly limit: number;
  /** The number of the page; that of the first one is 0 or 1. */
  readonly number: number;
  /** The parameter of the next page and its value; `undefined` on the last page. */
  readonly next: { readonly parameter: Parameter; readonly value: Json } | undefined;
};

/**
 * The items before each cursor when it was given, since some of them may be deleted: the ids of the last ones, and the number
 * of the others.
 */
export type Cursors = Map<string, { readonly ids: readonly string[]; readonly others: number }>;

/** The request for a page, and the schemas of the list. */
type Selection = {
  readonly operation: ApiOperation;
  /** The path of the collection. */
  readonly collection: string;
  readonly cursors: Cursors;
  readonly query: Query;
  /** The members of an item; those with an `enum` have its values. */
  readonly members: ReadonlyMap<string, readonly Json[] | undefined>;
  readonly idMembers: readonly string[];
  readonly maxItems: number;
  readonly oracle: Pick<Oracle, 'allows' | 'schemas'>;
};

const DIRECTION = /^(?:asc|desc)(?:ending)?$/i;
const DEFAULT_LIMIT = 20;
/** The number of ids that are kept for a cursor. */
const MAX_IDS = 200;

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
    filters.every(({ member, value }) => fits(memberOf(item, member), value));
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
      const order = compare(memberOf(one, member), memberOf(other, member));
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

function pageOf(
  items: readonly JsonObject[],
  { operation, collection, cursors, query, idMembers, maxItems, oracle }: Selection,
): Page<JsonObject> {
  const { limitBy, offsetBy, pageBy, cursorBy } = findPaging(operation);
  const parameter = cursorBy ?? pageBy ?? offsetBy;
  const numberAt = (one: Parameter | undefined): number | undefined => {
    const value = one && query[one.name];
    return value !== undefined && Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
  };
  const usual = parameter === undefined ? Infinity : DEFAULT_LIMIT;
  const limit = Math.min(Math.max(1, numberAt(limitBy) ?? usual), maxItems);
  const first = pageBy === undefined ? 1 : firstPage(pageBy, oracle, 1);
  const number = numberAt(pageBy) ?? first;
  const cursor = cursorBy && query[cursorBy.name];
  const least = offsetBy === undefined ? 0 : firstOffset(offsetBy, oracle);
  const offset = numberAt(offsetBy);
  const start = offset !== undefined ? offset - least : pageBy === undefined ? 0 : (number - first) * limit;
  const from = Math.max(0, cursor === undefined ? start : afterCursor(cursor));
  const to = Math.min(items.length, from + limit);
  return {
    items: items.slice(from, to),
    total: items.length,
    from,
    limit,
    number,
    next: to < items.length ? next() : undefined,
  };

  function idOf(item: JsonObject = {}): Json {
    return idMembers.map((name) => memberOf(item, name)).find(isScalar) ?? null;
  }

  /** A cursor is the id of the item before it where that is allowed, else its offset. */
  function afterCursor(cursor: Json): number {
    const before = cursors.get(placeOf(cursor));
    for (const id of before?.ids.toReversed() ?? [idText(cursor)]) {
      const index = items.findIndex((item) => idText(idOf(item)) === id);
      if (index >= 0) return index + 1;
    }
    return before?.others ?? (Number.isSafeInteger(Number(cursor)) ? Number(cursor) : 0);
  }

  function placeOf(cursor: Json): string {
    return stringifyJson([collection, { ...query, [cursorBy?.name ?? '']: idText(cursor) }]);
  }

  function noteCursor(cursor: Json): void {
    const others = Math.max(0, to - MAX_IDS);
    const ids = items.slice(others, to).map((item) => idText(idOf(item)));
    cursors.set(placeOf(cursor), { ids, others });
  }

  function next(): Page['next'] {
    if (parameter === undefined) return undefined;
    const offsets = [idOf(items[to - 1]), to, String(to)];
    const candidates =
      parameter === cursorBy ? offsets : parameter === pageBy ? [number + 1, String(number + 1)] : [to + least];
    const value = candidates.find((one) => isScalar(one) && oracle.allows(parameter.schema, one));
    if (value !== undefined && parameter === cursorBy && idOf(items[to - 1]) !== null) noteCursor(value);
    return value === undefined ? undefined : { parameter, value };
  }
}

function memberOf(item: JsonObject, name: string): Json {
  return Object.hasOwn(item, name) ? (item[name] ?? null) : null;
}
