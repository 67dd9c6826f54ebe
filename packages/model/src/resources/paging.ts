import { memoizeByObject } from '@contract-first/contract';
import type { ApiOperation, ApiParameter } from '../operations/api-operation.ts';
import type { Oracle } from '../values/oracle.ts';
import { isObject, type Json, type Place } from '../values/json-value.ts';
import { mergeAllOf } from '../values/schema-merge.ts';
import { snakeCase } from '../values/snake-case.ts';

/** The paging parameters of a list; `undefined` if absent. */
export type Paging = {
  readonly limitBy: ApiParameter | undefined;
  readonly offsetBy: ApiParameter | undefined;
  readonly pageBy: ApiParameter | undefined;
  readonly cursorBy: ApiParameter | undefined;
};

const LIMIT = /^(?:page_?)?(?:limit|size|count)$|^(?:per_?page|page_?size|max_?results|take|first|top)$/i;
const OFFSET = /^(?:page_?)?(?:offset|skip)$/i;
const PAGE = /^page(?:_?(?:no|num|number|index))?$/i;
const CURSOR = /cursor|token|marker|^(?:page_?|start(?:ing)?_?)?after(?:_?(?:id|key))?$|^next|^continu/i;
const SORT = /^(?:sort|order|ordering|direction)$|^(?:sort|order)_(?:by|field|key|order|dir|direction)$/;
const NEXT = /^next(?:_?(?:cursor|page|page_?token|token|link|url|marker|key))?$|^(?:end_?)?cursor$|^continuation/i;

/** Finds the paging parameters by their names. */
export const findPaging = memoizeByObject(({ parameters }: ApiOperation): Paging => {
  const query = parameters.filter((parameter) => parameter.in === 'query' && !isChoice(parameter));
  const find = (pattern: RegExp): ApiParameter | undefined => query.find(({ name }) => pattern.test(flatName(name)));
  const cursorBy = query.find(({ name }) => CURSOR.test(flatName(name)) && !LIMIT.test(flatName(name)));
  return { limitBy: find(LIMIT), offsetBy: find(OFFSET), pageBy: find(PAGE), cursorBy };
});

/** Returns a parameter name without brackets: `page_number` for `page[number]`. */
function flatName(name: string): string {
  return name.replaceAll(/\[(\w+)\]/g, '_$1');
}

/** Returns whether a parameter is a filter, despite its name: an enum of texts, such as the size `M`, or a date. */
function isChoice({ schema }: ApiParameter): boolean {
  const { enum: values = [], format = '' } = Object(schema) as { readonly enum?: readonly unknown[]; format?: string };
  return values.some((value) => !Number.isInteger(Number(value))) || format.startsWith('date');
}

/** Returns whether the name of a parameter indicates sorting. */
export function isSorting({ name }: Pick<ApiParameter, 'name'>): boolean {
  return SORT.test(snakeCase(name));
}

const DEPTH = 3;

/**
 * Returns the places of the members of a body and of the objects in it, such as `meta.paging.next`, but not in lists.
 * A member follows the object that contains it.
 */
export function pagingPlaces(body: Json, holder: Place = []): readonly Place[] {
  if (!isObject(body)) return [];
  return Object.entries(body).flatMap(([name, member]) => {
    const place = [...holder, name];
    return [place, ...(place.length <= DEPTH ? pagingPlaces(member, place) : [])];
  });
}

/** Returns whether the place of a member indicates the next page: a cursor, a number, a URL, or a link object with it. */
export function isNextPage(place: Place): boolean {
  const [holder = '', name = ''] = place.slice(-2).map(String);
  return NEXT.test(place.length === 1 ? holder : name) || (NEXT.test(holder) && /^(?:href|url)$/.test(name));
}

/**
 * Returns the number of the first page: the default of the parameter, or else the smallest valid number.
 *
 * @param unstated the number if the document defines neither
 */
export function firstPage(
  parameter: ApiParameter,
  { allows, schemas }: Pick<Oracle, 'allows' | 'schemas'>,
  unstated: 0 | 1,
): number {
  const { default: first, minimum } = Object(mergeAllOf(schemas, parameter.schema ?? true)) as {
    readonly default?: unknown;
    readonly minimum?: unknown;
  };
  if (typeof first === 'number') return first;
  const isUnstated = minimum === undefined && !/index$/i.test(parameter.name);
  return isUnstated && allows(parameter.schema, unstated) ? unstated : firstOffset(parameter, { allows });
}

/** Returns the offset of the first item: the smallest valid offset. */
export function firstOffset({ schema }: ApiParameter, { allows }: Pick<Oracle, 'allows'>): number {
  return allows(schema, 0) ? 0 : 1;
}
