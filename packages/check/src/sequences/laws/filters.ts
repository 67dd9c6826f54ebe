import { stringifyJson } from '@contract-first/contract';
import type { ApiOperation, ApiParameter } from '@contract-first/model/operations';
import { findPaging, idText, isNamedFor, isSorting, snakeCase } from '@contract-first/model/resources';
import { isArray, isObject, isScalar, type Json, membersOf, partAt } from '@contract-first/model/values';
import { defectOf, type Defect } from '../../judgement/defect.ts';
import type { Listing } from '../list-all.ts';
import { currentId, readList, SEED_OFFSET, type Id, type ResourceClient } from '../resource-client.ts';
import type { Instance } from '../instances.ts';
import type { Evidence } from '../sequence-step.ts';
import { differentInput, withParameter } from '../step-input.ts';

/** A query parameter, the item member with the same name, and the member's value in one item: as read and as sent. */
type Filter = { readonly parameter: ApiParameter; readonly member: string; readonly value: Json; readonly sent: Json };

const MAX_FILTERS = 10;
// Servers may split and decode other texts in several ways.
const PLAIN_TEXT = /^[\p{L}\p{N}._-]{1,60}$/u;
const UNKNOWN = 'contract-check-unknown';
const FLAG_TEXTS = ['false', 'true', '0', '1', UNKNOWN];
const TIME = /^\d{4}-\d\d/;

/**
 * Creates a resource whose values differ from the values of the first resource. Then reads the list once for each query
 * parameter with the name of an item member; the parameter has the member's value in the first resource. Expects that
 * each item matches, and that the list contains the first resource.
 */
export async function checkFilters(client: ResourceClient, parent: Id, first: Instance): Promise<void> {
  const { item, judge, instances, plainInputs } = client;
  const { list, create } = item;
  const parameters = list === undefined ? [] : filtersOf(list);
  if (list === undefined || create === undefined || parameters.length === 0) return;
  const body = first.creation?.testCase.input?.body?.value ?? null;
  await instances.create(item, judge.send, SEED_OFFSET.unlike, parent, (input) =>
    body === null ? input : (differentInput(plainInputs, create, SEED_OFFSET.unlike, body) ?? input),
  );
  const key = idText(currentId(client, first.values).at(-1));
  const all = await readList(client, first.values);
  const subject = all?.items.get(key);
  if (all === undefined || subject === undefined) return;
  for (const parameter of parameters) {
    const filter = filterBy(parameter, subject, client);
    if (filter === undefined || ![...all.items.values()].some((one) => !matches(filter, one))) continue;
    const filtered = await readList(client, first.values, 'large', (input) =>
      withParameter(input, parameter, filter.sent),
    );
    const last = filtered?.pages.at(-1);
    if (filtered === undefined || last === undefined) continue;
    judge.expect('list_filters', last, faultOf(filter, filtered, key), filtered.pages);
  }
}

/**
 * Filters the list by a flag that an action has set, if a query parameter with the name of the flag may be any text: a
 * boolean, or the name of a user. Expects that at least one text excludes the resource, or another resource without the
 * flag, as each possible meaning of the parameter does.
 *
 * @param action the request that set the flag
 */
export async function checkFlagFilter(client: ResourceClient, id: Id, flag: string, action: Evidence): Promise<void> {
  const { item, judge, run } = client;
  const parameter = (item.list === undefined ? [] : filtersOf(item.list)).find(({ name, schema }) => {
    return snakeCase(name) === snakeCase(flag) && FLAG_TEXTS.every((text) => run.requestOracle.allows(schema, text));
  });
  if (parameter === undefined) return;
  const key = idText(currentId(client, id).at(-1));
  const all = await readList(client, id);
  const [other] = [...(all?.items ?? [])].find(([name, one]) => name !== key && partAt(one, [flag]) === false) ?? [];
  if (all === undefined || other === undefined || !all.items.has(key)) return;
  const lists: Listing[] = [];
  const isMixed = ({ items }: Listing): boolean => items.has(key) && items.has(other);
  for (const text of FLAG_TEXTS) {
    if (!lists.every(isMixed)) break;
    const filtered = await readList(client, id, 'large', (input) => withParameter(input, parameter, text));
    if (filtered === undefined) return;
    lists.push(filtered);
  }
  const pages = lists.flatMap((list) => list.pages);
  const last = pages.at(-1);
  if (last === undefined) return;
  const defect = lists.every(isMixed)
    ? defectOf(
        `with ${parameter.name}=${FLAG_TEXTS.join(', =')}, the list has ${stringifyJson(key)}, whose ${flag} is set, and ${stringifyJson(other)}, whose ${flag} is not`,
        `filtered by ${parameter.name}, the list has an item that does not match`,
      )
    : undefined;
  judge.expect('list_filters', last, defect, [action, ...pages]);
}

/** Returns the query parameters that may be filters. */
function filtersOf(list: ApiOperation): readonly ApiParameter[] {
  const { limitBy, offsetBy, pageBy, cursorBy } = findPaging(list);
  return list.parameters
    .filter((parameter) => parameter.in === 'query' && ![limitBy, offsetBy, pageBy, cursorBy].includes(parameter))
    .filter((parameter) => !isSorting(parameter) && !parameter.isJson)
    .slice(0, MAX_FILTERS);
}

/** Returns the filter of a parameter by a value of an item; `undefined` if no member has its name and type. */
function filterBy(parameter: ApiParameter, subject: Json, { items, run }: ResourceClient): Filter | undefined {
  const member = memberFor(parameter, subject);
  const value = member === undefined ? undefined : valueOf(subject, member);
  if (member === undefined || value === undefined) return undefined;
  const isText = typeof value === 'string' && PLAIN_TEXT.test(value) && !TIME.test(value);
  // A filter by another number may be a limit.
  const isExact = typeof value === 'boolean' || items.some((item) => isNamedFor(parameter.name, item));
  const allows = (sent: Json): boolean => run.requestOracle.allows(parameter.schema, sent);
  const sent = isText || isExact ? [value, [value]].find(allows) : undefined;
  return sent === undefined ? undefined : { parameter, member, value, sent };
}

/** Returns the member with the name of a parameter: `tag` also names the list `tags` or `tagList`. */
function memberFor({ name }: ApiParameter, subject: Json): string | undefined {
  if (!isObject(subject)) return undefined;
  const wanted = snakeCase(name.replace(/\[\]$/, ''));
  const plurals = [`${wanted}s`, `${wanted}es`, `${wanted}_list`, wanted.replace(/y$/, 'ies')];
  const [found] = Object.entries(subject).find(
    ([member, value]) => snakeCase(member) === wanted || (isArray(value) && plurals.includes(snakeCase(member))),
  ) ?? [undefined];
  return found;
}

/** Returns the value to filter by: a value of the member, or a text that no object has, such as an unknown author. */
function valueOf(subject: Json, member: string): Json | undefined {
  return isObject(partAt(subject, [member])) ? UNKNOWN : valuesOf(subject, member)[0];
}

/** Returns the scalar values of a member, its items or its members. */
function valuesOf(item: Json, member: string): readonly Json[] {
  const value = partAt(item, [member]);
  return [value, ...membersOf(value).map(([, part]) => part)].filter(isScalar);
}

/** Returns whether an item may match a filter. Texts may be compared in part and without case. */
function matches({ member, value }: Filter, item: Json): boolean {
  if (!isObject(item) || !Object.hasOwn(item, member)) return true; // Lists may leave out members.
  const isEqual = (own: Json): boolean =>
    typeof value === 'string' && typeof own === 'string'
      ? own.toLowerCase().includes(value.toLowerCase())
      : idText(own) === idText(value);
  return valuesOf(item, member).some(isEqual);
}

function faultOf(filter: Filter, { items, fault }: Listing, key: string): Defect | undefined {
  const { parameter, member, value } = filter;
  const subject = `with ${parameter.name}=${idText(value)}, the list`;
  const [, other] = [...items].find(([, item]) => !matches(filter, item)) ?? [];
  if (other !== undefined) {
    return defectOf(
      `${subject} has an item whose ${member} is ${stringifyJson(partAt(other, [member]))}`,
      `filtered by ${parameter.name}, the list has an item that does not match`,
    );
  }
  if (value === UNKNOWN || items.has(key)) return fault;
  return defectOf(
    `${subject} lacks ${stringifyJson(key)}, which matches`,
    `filtered by ${parameter.name}, the list lacks an item that matches`,
  );
}
