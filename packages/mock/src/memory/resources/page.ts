import { stringifyJson } from '@contract-first/contract';
import type { ApiOperation, ApiParameter } from '@contract-first/model/operations';
import { findPaging, firstOffset, firstPage, idText } from '@contract-first/model/resources';
import { isScalar, type Json, type Oracle, partAt } from '@contract-first/model/values';

/** The values of a query, by name. */
export type QueryValues = Readonly<Record<string, Json | undefined>>;

/** One page of a list. */
export type Page<Item = Json> = {
  readonly items: readonly Item[];
  /** The total number of items. */
  readonly total: number;
  readonly from: number;
  readonly limit: number;
  /** The number of the page, beginning with 0 or 1. */
  readonly number: number;
  /** The parameter of the next page and its value; `undefined` on the last page. */
  readonly next: { readonly parameter: ApiParameter; readonly value: Json } | undefined;
};

/**
 * The items that were before each cursor when it was created: the last ids, since these items may be deleted later, and
 * the number of earlier items.
 */
export type Cursors = Map<string, { readonly ids: readonly string[]; readonly others: number }>;

/** A request for a page of a list. */
export type PageRequest = {
  readonly operation: ApiOperation;
  /** The path of the collection. */
  readonly collection: string;
  readonly cursors: Cursors;
  readonly query: QueryValues;
  readonly idMembers: readonly string[];
  readonly maxItems: number;
  readonly oracle: Pick<Oracle, 'allows' | 'schemas'>;
};

const DEFAULT_LIMIT = 20;
/** The maximum number of stored ids per cursor. */
const MAX_IDS = 200;

/** Returns the requested page of a list. */
export function takePage<Item extends Json>(
  items: readonly Item[],
  { operation, collection, cursors, query, idMembers, maxItems, oracle }: PageRequest,
): Page<Item> {
  const { limitBy, offsetBy, pageBy, cursorBy } = findPaging(operation);
  const parameter = cursorBy ?? pageBy ?? offsetBy;
  const numberAt = (one: ApiParameter | undefined): number | undefined => {
    const value = one && query[one.name];
    return value !== undefined && Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
  };
  const usual = parameter === undefined ? Infinity : DEFAULT_LIMIT;
  const limit = Math.min(Math.max(0, numberAt(limitBy) ?? usual), maxItems);
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
    next: limit > 0 && to < items.length ? next() : undefined,
  };

  function idOf(item: Json = null): Json {
    return idMembers.map((name) => partAt(item, [name])).find(isScalar) ?? null;
  }

  /**
   * Returns the index after a cursor, which is the id of the previous item or, if the schema forbids ids, an offset.
   */
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
