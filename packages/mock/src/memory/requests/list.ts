import { stringifyJson } from '@contract-first/contract';
import type { AnyReply } from '@contract-first/engine/tools';
import type { ApiOperation } from '@contract-first/model/operations';
import { idText, isNextPage, itemsIn, pagingPlaces, snakeCase } from '@contract-first/model/resources';
import {
  allPropertiesOf,
  type Described,
  isArray,
  isObject,
  isScalar,
  type Json,
  type JsonObject,
  type JsonSchema,
  membersOf,
  partAt,
  type Place,
  removeAt,
  replaceAt,
} from '@contract-first/model/values';
import { hasExample } from '../../responses/respond.ts';
import type { Model } from '../resources/model.ts';
import { type Page, type QueryValues, takePage } from '../resources/page.ts';
import { pathValues, storeCollection } from '../state/paths.ts';
import { etagOf, type MockRequest } from '../reply.ts';
import type { Handle, OperationContext } from './operation-context.ts';
import { selectPage } from '../resources/selection.ts';

const MAX_PAGES = 100;
/** The cached bodies of list pages, by media type, path and query. */
const pages = new WeakMap<object, Map<string, Json>>();

/** Lists the resources of a collection. */
export const list: Handle = ({ operation, resource, model, store, cursors, respond }, request) => {
  const collection = storeCollection(resource.item, pathValues(operation.path, request));
  const states = store.list(collection);
  const { members, maxItems } = model.listOf(operation, resource);
  const page = selectPage(states, {
    operation,
    members,
    maxItems,
    oracle: model.requests.oracle,
    collection,
    cursors,
    query: request.query as QueryValues, // Validated.
    idMembers: resource.idMembers,
  });
  const header = (name: string, generated: unknown): readonly Json[] | undefined => {
    if (name.toLowerCase() === 'etag') return [etagOf([page.total, page.from, ...page.items])];
    return pageHeader(name, generated, page, urlOfNext);
  };
  return respond(request, { body, header });

  /** Returns the body of the page, cached until a resource of the collection changes. */
  function body(generated: Json, described: Described, mediaType: string): Json {
    const known = pages.get(states) ?? new Map<string, Json>();
    pages.set(states, known);
    const place = stringifyJson([mediaType, request.path, request.query]);
    const urls: string[] = [];
    const made =
      known.get(place) ??
      createBody(generated, described, (next) => {
        const url = urlOfNext(next);
        urls.push(url);
        return url;
      });
    if (urls.length === 0 && known.size < MAX_PAGES) known.set(place, made); // URLs depend on the request's host.
    return made;
  }

  function createBody(generated: Json, { schema }: Described, urlOf: typeof urlOfNext): Json {
    const items = model.itemsAt(operation, schema);
    if (items === undefined) return generated;
    const samples = itemsIn(generated, operation) ?? [];
    const mayBeIds = !samples.some(isObject);
    const represented = page.items.map((state) => {
      const id = mayBeIds ? idIn(state, items.schema) : undefined;
      return id ?? model.represent(items.schema, samples[0] ?? {}, state);
    });
    const allows = (value: Json): boolean => model.responses.allows(schema, value);
    const whole = withNextMembers(generated, schema, model);
    return fillList(whole, items.place, { ...page, items: represented }, urlOf, allows);
  }

  /** Returns the id of a resource, for a list of ids; `undefined` if the items of the list are not ids. */
  function idIn(state: JsonObject, schema: JsonSchema | undefined): Json | undefined {
    const ids = resource.idMembers.map((name) => partAt(state, [name])).filter(isScalar);
    return ids.flatMap((id) => [id, idText(id)]).find((id) => model.responses.allows(schema, id));
  }

  function urlOfNext(next: NextPage): string {
    return nextUrl(operation, request, next);
  }
};

/** Responds with the requested page of a generated list, or with the documented example. */
export function listGenerated(
  { operation, model, cursors, respond }: Pick<OperationContext, 'operation' | 'model' | 'cursors' | 'respond'>,
  request: MockRequest,
): AnyReply {
  let page: Page | undefined;
  const urlOf = (next: NextPage): string => nextUrl(operation, request, next);
  const header = (name: string, generated: unknown) => page && pageHeader(name, generated, page, urlOf);
  return respond(request, { body, header });

  function body(generated: Json, described: Described): Json {
    const { schema } = described;
    const { place } = model.itemsAt(operation, schema) ?? {};
    const items = place === undefined ? null : partAt(generated, place);
    if (place === undefined || !isArray(items) || hasExample(model.responses, described)) return generated;
    page = takePage(items, {
      operation,
      collection: operation.path,
      cursors,
      query: request.query as QueryValues, // Validated.
      idMembers: [],
      maxItems: Infinity,
      oracle: model.requests.oracle,
    });
    return fillList(generated, place, page, urlOf, (value) => model.responses.allows(schema, value));
  }
}

type NextPage = NonNullable<Page['next']>;

function nextUrl({ operationId }: ApiOperation, request: MockRequest, { parameter, value }: NextPage): string {
  const sent = Object.entries(request.query as QueryValues).filter(([, one]) => one !== undefined && isWritable(one));
  const query = { ...Object.fromEntries(sent), [parameter.name]: value };
  return request.url(operationId, { path: { ...request.path }, query });
}

/** Adds the declared members for the next page that an example of the body lacks, without values. */
function withNextMembers(generated: Json, schema: JsonSchema | undefined, { responses }: Model): Json {
  if (!isObject(generated)) return generated;
  const declared = Object.keys(allPropertiesOf(responses.schemas, schema));
  const absent = declared.filter((name) => isNextPage([name]) && !Object.hasOwn(generated, name));
  const whole = { ...generated, ...Object.fromEntries(absent.map((name) => [name, ''])) };
  return responses.allows(schema, whole) ? whole : generated;
}

/** Returns the possible values of a header that describes a page. */
function pageHeader(
  name: string,
  generated: unknown,
  page: Page,
  urlOf: (next: NextPage) => string,
): readonly Json[] | undefined {
  if (name.toLowerCase() === 'link') return page.next === undefined ? [] : [`<${urlOf(page.next)}>; rel="next"`];
  const fact = factOf(name.replace(/^x-/i, ''), page);
  return isSameKind(fact, generated) ? [fact] : undefined;
}

/** Returns whether a value can be written in a URL: it contains no null. */
function isWritable(value: Json): boolean {
  return value !== null && membersOf(value).every(([, member]) => isWritable(member));
}

/** The values of paging members, by their names in snake case. */
const FACTS: readonly (readonly [name: RegExp, valueOf: (page: Page) => number | boolean])[] = [
  [
    /^(?:total_)?pages$|^total_pages$|^page_count$|^last_page$/,
    ({ total, limit }) => Math.max(1, Math.ceil(total / Math.max(1, limit))),
  ],
  [/^total$|^total_|_total$|^(?:num|nb)_(?:found|hits)$/, ({ total }) => total],
  [/^(?:count|length|returned|number_of_elements)$/, ({ items }) => items.length],
  [
    /^(?:limit|size|per_page|page_size|page_limit|max_results)$/,
    ({ limit, total }) => (limit === Infinity ? total : limit),
  ],
  [/^(?:offset|skip)$/, ({ from }) => from],
  [/^(?:page|number|page_number|page_index|current_page)$/, ({ number }) => number],
  [/^(?:is_)?first$/, ({ from }) => from === 0],
  [/^(?:is_)?last$/, ({ next }) => next === undefined],
  [/^has_?(?:more|next)/, ({ next }) => next !== undefined],
  [/^has_?prev/, ({ from }) => from > 0],
];
const PREVIOUS = /^(?:prev|previous)(?:_(?:page|url|link|cursor|token))?$/;

/**
 * Returns the body of a list with the items of a page, the totals, and the next page; the generated body if the schema
 * forbids it.
 *
 * @param urlOf returns the URL of the next page
 * @param allows returns whether a body is valid
 */
function fillList(
  generated: Json,
  place: readonly string[],
  page: Page,
  urlOf: (next: NextPage) => string,
  allows: (body: Json) => boolean,
): Json {
  const told = pagingPlaces(generated).reduce<Json>(
    (result, at) => candidatesFor(at, result).find(allows) ?? result,
    generated,
  );
  const filled = replaceAt(told, place, page.items);
  return allows(filled) ? filled : generated;

  /** Returns bodies with different values at a place, the best first. */
  function candidatesFor(at: Place, result: Json): readonly Json[] {
    const name = String(at.at(-1));
    const value = partAt(result, at);
    const put = (other: Json): Json => replaceAt(result, at, other);
    const absent = [removeAt(result, at), put(null), put('')];
    if (!isObject(partAt(result, at.slice(0, -1)))) return []; // The object that contained it was removed.
    if (isNextPage(at) && typeof value !== 'boolean') {
      if (page.next === undefined) return absent;
      if (isObject(value)) return [];
      const url = /^(?:https?:|\/)/.test(idText(value)) ? [put(urlOf(page.next))] : [];
      return [...url, put(page.next.value), put(idText(page.next.value)), put(urlOf(page.next))];
    }
    if (PREVIOUS.test(snakeCase(name)) && page.from === 0) return absent.slice(0, 2);
    const listName = snakeCase(String(place.at(-1)));
    const isTotal =
      (name === 'count' && listName === 'results') || // A convention of Django REST framework.
      [`${listName}_count`, `${listName.replace(/s$/, '')}_count`].includes(snakeCase(name));
    const fact = factOf(isTotal ? 'total' : name, page);
    return isSameKind(fact, value) ? [put(fact)] : [];
  }
}

/** Returns the value of a paging member or header; `undefined` for other names. */
function factOf(name: string, page: Page): number | boolean | undefined {
  return FACTS.find(([pattern]) => pattern.test(snakeCase(name)))?.[1](page);
}

/** Returns whether a value has the type of a generated value, whose integers may be bigints. */
function isSameKind<Fact extends number | boolean>(fact: Fact | undefined, generated: unknown): fact is Fact {
  return typeof fact === (typeof generated === 'bigint' ? 'number' : typeof generated);
}
