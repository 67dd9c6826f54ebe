import type { ApiOperation, ApiParameter } from '@contract-first/model/operations';
import {
  isObject,
  isScalar,
  type Json,
  type JsonSchema,
  partAt,
  propertiesOf,
  type SchemaDocument,
} from '@contract-first/model/values';
import type { RequestInput } from '@contract-first/model/requests';
import {
  findPaging,
  firstOffset,
  firstPage,
  idText,
  isListById,
  isNextPage,
  isSorting,
  itemIds,
  itemsIn,
  pagingPlaces,
} from '@contract-first/model/resources';
import { normalizedText } from './compare-written.ts';
import { bodySchemaOf, headerOf } from '../judgement/conformance.ts';
import type { Run } from '../run/run.ts';
import { defectOf, type Defect } from '../judgement/defect.ts';
import { evidenceOf, type Evidence, type Send, type SequenceStep } from './sequence-step.ts';
import { isSuccess } from '../judgement/statuses.ts';
import { withParameter } from './step-input.ts';

/** A complete list with all its pages. */
export type Listing = {
  /** The items by their ids. */
  readonly items: ReadonlyMap<string, Json>;
  readonly pages: readonly Evidence[];
  /** The ids of the items on each page. */
  readonly pageIds: readonly (readonly string[])[];
  /** The fault of the last page, if any. */
  readonly fault?: Defect | undefined;
};

const MAX_PAGES = 40;
const OUTLINE_DEPTH = 4;
// Some servers return the first page as pages 0 and 1, others repeat the last page beyond the end.
const EQUAL_PAGES = 3;
const LIMITS = { large: [100, 50, 20, 10, 5], small: [1, 2, 3, 5] };

/** The size of the requested pages. */
export type PageSize = 'large' | 'small' | number;

/**
 * Reads all pages of a list. Follows a cursor or a link to the next page, or increments the page or the offset.
 *
 * @param names the possible names of the identifying member of an item
 * @param size the page size; `small` and `large` try usual sizes. With a number, the offset grows by this number, even if
 *   a page has fewer items
 * @returns `undefined` if the list may be incomplete, or its items have no ids
 */
export async function listAll(
  operation: ApiOperation,
  first: RequestInput,
  names: readonly string[],
  { send, run, size }: { readonly send: Send; readonly run: Run; readonly size: PageSize },
): Promise<Listing | undefined> {
  const query = operation.parameters.filter((parameter) => parameter.in === 'query');
  const { limitBy, offsetBy, pageBy, cursorBy } = findPaging(operation);
  const paging = [limitBy, offsetBy, pageBy, cursorBy];
  // Other parameters may filter the list.
  const mayFilter = (parameter: ApiParameter): boolean => !paging.includes(parameter) && !isSorting(parameter);
  if (query.some((parameter) => mayFilter(parameter) && (parameter.required || parameter.hasDefault))) return undefined;

  const limit = (typeof size === 'number' ? [size] : LIMITS[size]).find(
    (value) => limitBy && run.requestOracle.allows(limitBy.schema, value),
  );
  if (size !== 'large' && (limit === undefined || limitBy === undefined)) return undefined;
  let input = limitBy === undefined || limit === undefined ? first : withParameter(first, limitBy, limit);
  if (pageBy !== undefined) input = withParameter(input, pageBy, firstPage(pageBy, run.requestOracle, 0));
  const pages: Evidence[] = [];
  const all = new Map<string, Json>();
  const pageIds: (readonly string[])[] = [];
  let count = 0;
  while (pages.length < MAX_PAGES) {
    const step = await send(operation, input);
    if (step?.json === undefined || !isSuccess(step.response.status)) return undefined;
    pages.push(evidenceOf(step));
    const { items, ids: found } = itemsOf(step);
    if (items === undefined || found.length < items.length) return undefined;
    const ids = found.map(idText);
    for (const [index, id] of ids.entries()) all.set(id, items[index] ?? null);
    pageIds.push(ids);
    const listing = { items: all, pages, pageIds };
    if (pages.length === 1 && items.length > (limit ?? Infinity) && !hasMember(items, limitBy?.name))
      return {
        ...listing,
        fault: defectOf(
          `a page has ${String(items.length)} items, although ${String(limitBy?.name)} is ${String(limit)}`,
          `a page has more items than ${String(limitBy?.name)}`,
        ),
      };
    const last = pageIds.slice(-EQUAL_PAGES).map((page) => page.join());
    if (items.length > 0 && last.length === EQUAL_PAGES && new Set(last).size === 1) return listing;
    count += items.length;
    const next = nextOf(step);
    if (next !== undefined) {
      const following = follow(next);
      if (following === undefined) return undefined;
      input = following;
    } else if (cursorBy === undefined && offsetBy !== undefined && items.length > 0) {
      input = withParameter(
        input,
        offsetBy,
        firstOffset(offsetBy, run.requestOracle) + (typeof size === 'number' ? pages.length * size : count),
      );
    } else if (cursorBy === undefined && pageBy !== undefined && items.length > 0) {
      input = withParameter(input, pageBy, firstPage(pageBy, run.requestOracle, 0) + pages.length);
    } else return isEnd(items) ? listing : undefined;
  }
  return undefined;

  /** Returns the items of a page, and the ids of the items that have one. */
  function itemsOf(step: SequenceStep): {
    readonly items?: readonly Json[] | undefined;
    readonly ids: readonly Json[];
  } {
    const { json = null } = step;
    if (isObject(json) && isListById(bodySchemaOf(operation, step.response.status), run.responseSchemas))
      return { items: Object.values(json), ids: Object.keys(json) };
    const items = itemsIn(json, operation);
    return { items, ids: itemIds(items ?? [], names) };
  }

  /** Returns the input for the next page. */
  function follow(next: Json): RequestInput | undefined {
    if (typeof next !== 'string' || !/^(?:https?:|[/?])/.test(next)) {
      const parameter = cursorBy ?? pageBy ?? offsetBy;
      return parameter && withParameter(input, parameter, next);
    }
    let following = input;
    for (const [name, text] of URL.parse(next, 'http://server/')?.searchParams ?? []) {
      const parameter = query.find((one) => one.name === name);
      const value = [Number(text), text].find((reading) => run.requestOracle.allows(parameter?.schema, reading));
      if (parameter === undefined || value === undefined) return undefined;
      following = withParameter(following, parameter, value);
    }
    return following;
  }

  /**
   * Returns whether these items end the list. A page of 10, 20 or 25 items may be full, so that the list may go on.
   */
  function isEnd(items: readonly Json[]): boolean {
    if (items.length === 0 || pages.length > 1 || tellsNext(operation, run)) return true;
    return items.length % 10 > 0 && items.length % 25 > 0 && items.length < (limit ?? Infinity);
  }
}

/** Returns whether an item has a member with the name of a parameter, so that the parameter may be a filter. */
function hasMember(items: readonly Json[], name = ''): boolean {
  return items.some((item) => isObject(item) && Object.hasOwn(item, name));
}

/** Returns the cursor or URL of the next page, from the `Link` header, the body, or objects in the body. */
function nextOf({ json = null, response }: SequenceStep): Json | undefined {
  const [, url] = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(headerOf(response, 'link') ?? '') ?? [];
  if (url !== undefined) return url;
  const place = pagingPlaces(json).find((one) => isNextPage(one) && isScalar(partAt(json, one)));
  const next = place && partAt(json, place);
  return next === '' || next === false ? undefined : next;
}

/** Finds an id in a list, or else an id that servers may store alike. */
export function findId({ items }: Listing, id: Json | undefined): string | undefined {
  const key = idText(id);
  return items.has(key) ? key : [...items.keys()].find((one) => normalizedText(one) === normalizedText(key));
}

/** Returns an object with the declared properties of a schema, and of the objects in it. */
function outlineOf(schema: JsonSchema | undefined, schemas: SchemaDocument, depth = 0): Json {
  if (depth > OUTLINE_DEPTH) return null;
  const properties = Object.entries(propertiesOf(schemas, schema));
  return Object.fromEntries(properties.map(([name, member]) => [name, outlineOf(member, schemas, depth + 1)]));
}

/** Returns whether the document has a member or a header for the next page. Its absence marks the last page. */
function tellsNext({ responses }: ApiOperation, { responseSchemas }: Run): boolean {
  return Object.values(responses).some(({ headers, contents }) => {
    const isDeclared = contents.some(({ schema }) => pagingPlaces(outlineOf(schema, responseSchemas)).some(isNextPage));
    return isDeclared || headers.some(({ name }) => name === 'link');
  });
}
