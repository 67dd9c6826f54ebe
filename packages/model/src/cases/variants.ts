import { stringifyJson } from '@contract-first/contract';
import { encodingOf } from '../operations/body-bytes.ts';
import { EDGE_NAMES, HOSTILE_VALUES } from '../values/hostile-values.ts';
import {
  isArray,
  isObject,
  isScalar,
  membersOf,
  partAt,
  placesOf,
  removeAt,
  replaceAt,
  type Json,
  type Place,
} from '../values/json-value.ts';
import type { RequestInput } from '../requests/wire-request.ts';

const MAX_PLACES = 40;
// The hostile values that a form can represent: OpenAPI does not say whether numbers may have an exponent, and servers may
// take an empty field for an absent one.
const HOSTILE_TEXTS = HOSTILE_VALUES.filter((value) =>
  typeof value === 'string'
    ? value.isWellFormed() && value.trim() !== ''
    : isScalar(value) && !/\de/.test(stringifyJson(value)),
);

/**
 * Generates the variants of a request with a single change. Some are valid, some are not.
 *
 * @param removed the names of properties that only responses have: a body with one of them may be refused
 * @param tried a request whose variants have been generated: the places of its body are skipped
 */
export function* variantsOf(
  input: RequestInput,
  removed: ReadonlySet<string>,
  tried?: RequestInput,
): Generator<RequestInput> {
  const names = EDGE_NAMES.filter((name) => !removed.has(name));
  const { parameters, body } = input;
  yield* withoutOneParameter(input);
  for (const [index, { parameter, value }] of parameters.entries()) {
    for (const other of variantsAt(value, [[]], names)) {
      yield { body, parameters: parameters.with(index, { parameter, value: other }) };
    }
    for (const place of placesOf(value, MAX_PLACES).slice(1)) {
      for (const other of HOSTILE_VALUES) {
        yield { body, parameters: parameters.with(index, { parameter, value: replaceAt(value, place, other) }) };
      }
    }
  }
  if (body === undefined) return;
  const { content, value } = body;
  const encoding = encodingOf(content);
  if (encoding === 'json') {
    const skipped = new Set(tried?.body && placesOf(tried.body.value, MAX_PLACES).map(String));
    const all = placesOf(value, MAX_PLACES);
    const places = all.filter((place) => !skipped.has(String(place)));
    for (const other of [...variantsAt(value, places, names), ...rewrapped(value, all)])
      yield { parameters, body: { content, value: other } };
  }
  if (encoding === 'form' || encoding === 'multipart') {
    // A server reads any text as a list or an object in a way of its own.
    const scalars = membersOf(value).filter(([name]) => content.parts.get(String(name))?.isStructured === false);
    for (const [name] of scalars) {
      for (const other of HOSTILE_TEXTS)
        yield { parameters, body: { content, value: replaceAt(value, [name], other) } };
    }
  }
  if (encoding === 'json' || encoding === 'form' || encoding === 'multipart') yield* withoutOnePart(input);
}

/** Generates the variants of a request without one of its parts. */
export function* withoutOne(input: RequestInput): Generator<RequestInput> {
  yield* withoutOneParameter(input);
  yield* withoutOnePart(input);
}

/** Generates the variants of a request that are simpler by one step. */
export function* shrink(input: RequestInput): Generator<RequestInput> {
  yield* withoutOne(input);
  const { parameters, body } = input;
  if (body === undefined) return;
  for (const place of placesOf(body.value, MAX_PLACES)) {
    for (const shorter of shorterThan(partAt(body.value, place))) {
      yield { parameters, body: { content: body.content, value: replaceAt(body.value, place, shorter) } };
    }
  }
}

/** Changes one place of a body. The numbers choose the place and the change. */
export function mutateBody(input: RequestInput, where: number, how: number): RequestInput {
  const { body, parameters } = input;
  if (body === undefined) return input;
  const places = placesOf(body.value, MAX_PLACES);
  const place = places[where % places.length] ?? [];
  const choices = HOSTILE_VALUES.length + 1;
  const value =
    how % choices === HOSTILE_VALUES.length && place.length > 0
      ? removeAt(body.value, place)
      : replaceAt(body.value, place, HOSTILE_VALUES[how % choices] ?? null);
  return { parameters, body: { content: body.content, value } };
}

/** Returns the halves of a string, list or object, and a string without its first or last character. */
function shorterThan(value: Json): readonly Json[] {
  const list: readonly unknown[] = typeof value === 'string' ? Array.from(value) : membersOf(value);
  if (list.length < 2) return [];
  const half = list.length >> 1;
  if (typeof value === 'string') {
    const characters = Array.from(value);
    const ranges = [characters.slice(0, half), characters.slice(half), characters.slice(1), characters.slice(0, -1)];
    return ranges.map((range) => range.join(''));
  }
  if (isArray(value)) return [value.slice(0, half), value.slice(half)];
  const members = membersOf(value);
  return [members.slice(0, half), members.slice(half)].map((some) => Object.fromEntries(some));
}

function* withoutOneParameter({ parameters, body }: RequestInput): Generator<RequestInput> {
  for (const [index, { parameter }] of parameters.entries()) {
    // Without a path parameter, the request would have another path.
    if (parameter.in !== 'path') yield { body, parameters: parameters.toSpliced(index, 1) };
  }
}

function* withoutOnePart({ parameters, body }: RequestInput): Generator<RequestInput> {
  if (body === undefined) return;
  for (const place of placesOf(body.value, MAX_PLACES).slice(1)) {
    yield { parameters, body: { content: body.content, value: removeAt(body.value, place) } };
  }
}

/** Generates copies with a part in a list of its own, and with the first item in place of its list. */
function* rewrapped(value: Json, places: readonly Place[]): Generator<Json> {
  for (const place of places) {
    const part = partAt(value, place);
    yield replaceAt(value, place, [part]);
    if (isArray(part) && part[0] !== undefined) yield replaceAt(value, place, part[0]);
  }
}

/** @param names those of further members */
function* variantsAt(value: Json, places: readonly Place[], names: readonly string[]): Generator<Json> {
  for (const place of places) {
    const part = partAt(value, place);
    for (const other of HOSTILE_VALUES) yield replaceAt(value, place, other);
    // An array of one hostile item, and an object with one more member.
    if (isArray(part)) for (const other of HOSTILE_VALUES) yield replaceAt(value, place, [other]);
    if (isObject(part)) {
      for (const name of names) if (!Object.hasOwn(part, name)) yield replaceAt(value, [...place, name], 'x');
    }
  }
}
