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
// The hostile values that a form can represent. Excludes numbers with exponents, which OpenAPI does not define for
// forms, and empty fields, which servers may treat as absent.
const HOSTILE_TEXTS = HOSTILE_VALUES.filter((value) =>
  typeof value === 'string'
    ? value.isWellFormed() && value.trim() !== ''
    : isScalar(value) && !/\de/.test(stringifyJson(value)),
);

/**
 * Generates variants of a request with a single change. The variants may be valid or invalid.
 *
 * @param removed the names of response-only properties, with which a body may be rejected
 * @param tried a request with generated variants; the places of its body are skipped
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
    // How servers parse text as a list or object is undefined.
    const scalars = membersOf(value).filter(([name]) => content.parts.get(String(name))?.isStructured === false);
    for (const [name] of scalars) {
      for (const other of HOSTILE_TEXTS)
        yield { parameters, body: { content, value: replaceAt(value, [name], other) } };
    }
  }
  if (encoding === 'json' || encoding === 'form' || encoding === 'multipart') yield* withoutOnePart(input);
}

/** Generates variants of a request without one part. */
export function* withoutOne(input: RequestInput): Generator<RequestInput> {
  yield* withoutOneParameter(input);
  yield* withoutOnePart(input);
}

/** Generates variants of a request that are one step simpler. */
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

/** Changes a body at one place. The numbers select the place and the change. */
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

/** Returns the halves of a string, list or object, and a string without its first and without its last character. */
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
    // Path parameters are required to match the path.
    if (parameter.in !== 'path') yield { body, parameters: parameters.toSpliced(index, 1) };
  }
}

function* withoutOnePart({ parameters, body }: RequestInput): Generator<RequestInput> {
  if (body === undefined) return;
  for (const place of placesOf(body.value, MAX_PLACES).slice(1)) {
    yield { parameters, body: { content: body.content, value: removeAt(body.value, place) } };
  }
}

/** Generates copies with a part wrapped in a list, and with a list replaced by its first item. */
function* rewrapped(value: Json, places: readonly Place[]): Generator<Json> {
  for (const place of places) {
    const part = partAt(value, place);
    yield replaceAt(value, place, [part]);
    if (isArray(part) && part[0] !== undefined) yield replaceAt(value, place, part[0]);
  }
}

/** @param names the names of additional members */
function* variantsAt(value: Json, places: readonly Place[], names: readonly string[]): Generator<Json> {
  for (const place of places) {
    const part = partAt(value, place);
    for (const other of HOSTILE_VALUES) yield replaceAt(value, place, other);
    // An array with one hostile item, and an object with an additional member.
    if (isArray(part)) for (const other of HOSTILE_VALUES) yield replaceAt(value, place, [other]);
    if (isObject(part)) {
      for (const name of names) if (!Object.hasOwn(part, name)) yield replaceAt(value, [...place, name], 'x');
    }
  }
}
