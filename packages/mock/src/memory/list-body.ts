import { idText, isNext, snakeCase } from '@contract-first/model/resources';
import { isObject, type Json, membersOf, partAt, type Place, removeAt, replaceAt } from '@contract-first/model/values';
import type { Page } from './page.ts';

/** The values of members beside the items of a page, by their names in snake case. */
const FACTS: readonly (readonly [name: RegExp, valueOf: (page: Page) => number | boolean])[] = [
  [
    /^(?:total_)?pages$|^total_pages$|^page_count$|^last_page$/,
    ({ total, limit }) => Math.max(1, Math.ceil(total / limit)),
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
 * Returns the body of a list with the items of a page, their number, and the next page.
 *
 * @param urlOf returns the URL of the next page
 * @param allows says whether a body is valid
 */
export function fillList(
  generated: Json,
  place: readonly string[],
  page: Page,
  urlOf: (next: NonNullable<Page['next']>) => string,
  allows: (body: Json) => boolean,
): Json {
  if (place.length === 0) return page.items; // Nothing is beside the items.
  const holders: Place[] = [
    [],
    ...membersOf(generated).flatMap(([name, member]) => (isObject(member) ? [[name]] : [])),
  ];
  const places = holders.flatMap((holder) => {
    const holding = partAt(generated, holder);
    return isObject(holding) ? Object.keys(holding).map((name) => [...holder, name]) : [];
  });
  const told = places.reduce((result, at) => candidatesFor(at, result).find(allows) ?? result, generated);
  return replaceAt(told, place, page.items);

  /** Lists bodies with other values at a place, the best first. */
  function candidatesFor(at: Place, result: Json): readonly Json[] {
    const name = String(at.at(-1));
    const value = partAt(result, at);
    const put = (other: Json): Json => replaceAt(result, at, other);
    const absent = [removeAt(result, at), put(null), put('')];
    if (isNext(name) && !isObject(value) && typeof value !== 'boolean') {
      if (page.next === undefined) return absent;
      const url = /^(?:https?:|\/)/.test(idText(value)) ? [put(urlOf(page.next))] : [];
      return [...url, put(page.next.value), put(idText(page.next.value)), put(urlOf(page.next))];
    }
    if (PREVIOUS.test(snakeCase(name)) && page.from === 0) return absent.slice(0, 2);
    const isTotal = name === 'count' && place.at(-1) === 'results'; // A convention of Django REST framework.
    const fact = factOf(isTotal ? 'total' : name, page);
    return isSameKind(fact, value) ? [put(fact)] : [];
  }
}

/** Returns the value of a member or a header about a page; `undefined` for other names. */
export function factOf(name: string, page: Page): number | boolean | undefined {
  return FACTS.find(([pattern]) => pattern.test(snakeCase(name)))?.[1](page);
}

/** Returns whether a fact is of the type of a generated value, whose integers may be bigints. */
export function isSameKind<Fact extends number | boolean>(fact: Fact | undefined, generated: unknown): fact is Fact {
  return typeof fact === (typeof generated === 'bigint' ? 'number' : typeof generated);
}
