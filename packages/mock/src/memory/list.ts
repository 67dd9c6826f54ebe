import { stringifyJson } from '@contract-first/contract';
import { itemsIn } from '@contract-first/model/resources';
import { type Described, type Json, membersOf } from '@contract-first/model/values';
import { factOf, fillList, isSameKind } from './list-body.ts';
import type { Page, Query } from './page.ts';
import { pathValues, storeCollection } from './paths.ts';
import { etagOf, namesTag } from './reply.ts';
import type { Handle } from './scope.ts';
import { selectPage } from './selection.ts';

const NOT_MODIFIED = 304;
const MAX_PAGES = 100;
/** The bodies of the pages of a list, by media type and query. */
const pages = new WeakMap<object, Map<string, Json>>();

/** Lists the resources of a collection. */
export const list: Handle = ({ operation, documented, resource, model, store, cursors, respond }, request) => {
  const collection = storeCollection(resource.item, pathValues(operation.path, request));
  const states = store.list(collection);
  const { members, maxItems } = model.listOf(operation, resource);
  const page = selectPage(states, {
    ...{ operation, members, maxItems, oracle: model.requests.oracle, collection, cursors },
    query: request.query as Query, // As validated.
    idMembers: resource.idMembers,
  });
  const tag = (): string => etagOf([page.total, page.from, ...page.items]);
  const header = (name: string, generated: unknown): readonly Json[] | undefined => {
    if (name.toLowerCase() === 'etag') return [tag()];
    if (name.toLowerCase() === 'link') return page.next === undefined ? [] : [`<${nextUrl(page.next)}>; rel="next"`];
    const fact = factOf(name.replace(/^x-/i, ''), page);
    return isSameKind(fact, generated) ? [fact] : undefined;
  };
  const isKnown = documented.responses[NOT_MODIFIED] !== undefined && namesTag(request, 'if-none-match', tag);
  return respond(request, isKnown ? { status: NOT_MODIFIED, header } : { body, header });

  /** Returns the body of the page: the same one until a resource of the collection changes. */
  function body(generated: Json, described: Described, mediaType: string): Json {
    const known = pages.get(states) ?? new Map<string, Json>();
    pages.set(states, known);
    const place = stringifyJson([mediaType, request.path, request.query]);
    const urls: string[] = [];
    const made =
      known.get(place) ??
      createBody(generated, described, (next) => {
        const url = nextUrl(next);
        urls.push(url);
        return url;
      });
    if (urls.length === 0 && known.size < MAX_PAGES) known.set(place, made); // URLs depend on the host of the request.
    return made;
  }

  function createBody(generated: Json, { schema }: Described, urlOf: typeof nextUrl): Json {
    const items = model.itemsAt(operation, schema);
    if (items === undefined) return generated;
    const [first = {}] = itemsIn(generated, operation) ?? [];
    const represented = page.items.map((state) => model.represent(items.schema, first, state));
    const allows = (value: Json): boolean => model.responses.allows(schema, value);
    const filled = fillList(generated, items.place, { ...page, items: represented }, urlOf, allows);
    return allows(filled) ? filled : generated;
  }

  function nextUrl({ parameter, value }: NonNullable<Page['next']>): string {
    const sent = Object.entries(request.query as Query).filter(([, one]) => one !== undefined && isWritable(one));
    const query = { ...Object.fromEntries(sent), [parameter.name]: value };
    return request.url(operation.operationId, { path: { ...request.path }, query });
  }
};

/** Returns whether a value can be part of a URL, which cannot have null. */
function isWritable(value: Json): boolean {
  return value !== null && membersOf(value).every(([, member]) => isWritable(member));
}
