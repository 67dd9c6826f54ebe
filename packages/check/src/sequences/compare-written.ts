import { stringifyJson } from '@contract-first/contract';
import {
  mergeAllOf,
  isArray,
  isObject,
  isScalar,
  type Json,
  type JsonObject,
  membersOf,
  partAt,
  propertiesOf,
  requiredBy,
  type JsonSchema,
  type SchemaDocument,
} from '@contract-first/model/values';
import { findPaging, itemsOf } from '@contract-first/model/resources';
import { defectOf, type Defect } from '../judgement/defect.ts';
import type { Run } from '../run/run.ts';
import { responseSchemaOf, type SequenceStep } from './sequence-step.ts';

/** The schemas of a value for writing and for reading. */
export type WrittenSchemas = { readonly written: JsonSchema | undefined; readonly read: JsonSchema | undefined };

/** The previously written value and its read. */
export type Previous = { readonly written: Json; readonly read: Json };

/** A read value with its schema. */
export type Readable = { readonly json: Json | undefined; readonly schema: JsonSchema | undefined };

/**
 * Compares a written value with the later read. Returns the first difference, or `undefined`.
 *
 * @param value the expected value, if earlier steps wrote more than this step's body
 */
export function differenceBetween(
  written: SequenceStep,
  read: SequenceStep | Readable,
  { idMembers, run }: { readonly idMembers: readonly string[]; readonly run: Run },
  { value, previous }: { readonly value?: Json; readonly previous?: Previous | undefined } = {},
): Defect | undefined {
  const { body } = written.testCase.input ?? {};
  if (body === undefined || read.json === undefined) return undefined;
  const schemas = { written: body.content.schema, read: 'schema' in read ? read.schema : responseSchemaOf(read) };
  if (isArray(body.value))
    return 'schema' in read || isPaged(read) ? undefined : findLostItem(body.value, read.json, schemas, run);
  return findDifference(value ?? body.value, read.json, schemas, run, idMembers, previous);
}

/** Returns whether a list may lack items, as it has pages. */
function isPaged({ operation }: SequenceStep): boolean {
  return Object.values(findPaging(operation)).some((parameter) => parameter !== undefined);
}

/**
 * Finds a member whose read value differs from the written value. Compares only members that both schemas declare,
 * which excludes read-only and write-only members, and only if the read schema allows the written value. Since servers
 * may normalize values, ignores case, white space and Unicode normalization of texts, the notation of times, and the
 * order of lists. If the body does not fit its schema, which is a failure of its own, ignores members that are missing
 * although they are required, and members whose value is in another place.
 *
 * @param except the identifying members, whose values the server may choose
 * @returns the first difference, or `undefined`
 */
export function findDifference(
  written: Json,
  read: Json,
  schemas: WrittenSchemas,
  { checks, requestSchemas, responseSchemas, responseOracle, redactor }: Run,
  except: readonly string[] = [],
  previous?: Previous,
): Defect | undefined {
  const shown = (value: Json | undefined): string => redactor.text(shortText(value));
  const isReported = (name: string, value: Json, inner: JsonSchema | undefined): boolean =>
    checks.has('response_schema_conformance') &&
    !responseOracle.allows(schemas.read ?? true, read) &&
    (requiredBy(responseSchemas, inner).includes(name) || hasValue(read, value));
  if (isObject(written) && isObject(read)) return differenceIn(written, read, schemas, []);
  if (!isScalar(written) || !isScalar(read) || schemas.written === undefined || schemas.read === undefined)
    return undefined;
  if (isSame(written, read, requestSchemas, schemas.written)) return undefined;
  return defectOf(
    `${shown(written)} was written, and ${shown(read)} is read`,
    'another value is read than was written',
  );

  function differenceIn(
    sent: JsonObject,
    received: JsonObject,
    at: WrittenSchemas,
    outer: readonly string[],
  ): Defect | undefined {
    const writable = propertiesOf(requestSchemas, at.written);
    const readable = propertiesOf(responseSchemas, at.read);
    for (const [name, value] of Object.entries(sent)) {
      const [inWritten, inRead] = [writable[name], readable[name]];
      if (inWritten === undefined || inRead === undefined || (outer.length === 0 && except.includes(name))) continue;
      const place = [...outer, name];
      const path = place.join('.');
      const other = Object.hasOwn(received, name) ? (received[name] ?? null) : undefined;
      const different = (): Defect =>
        defectOf(
          `${path} was written as ${shown(value)} and is read as ${shown(other)}`,
          `${path} is read with another value than was written`,
        );
      if (isObject(value) && other !== undefined && other !== null) {
        const inner = { written: inWritten, read: inRead };
        const found = isObject(other) ? differenceIn(value, other, inner, place) : undefined;
        if (found !== undefined) return found;
        continue;
      }
      const isLost = isObject(value)
        ? Object.keys(value).length > 0
        : !isSame(value, other, requestSchemas, inWritten, isKept(place, value, other));
      // If the read schema does not allow the value, the server must convert it.
      if (!isLost || !responseOracle.allows(inRead, value)) continue;
      if (other !== undefined || !isReported(name, value, at.read)) return different();
    }
    return undefined;
  }

  /** Returns whether an earlier read had the same value, although a different value had been written. */
  function isKept(place: readonly string[], sent: Json, received: Json = null): boolean {
    if (previous === undefined) return false;
    const [writtenBefore, readBefore] = [partAt(previous.written, place), partAt(previous.read, place)];
    return (
      normalizedText(readBefore) === normalizedText(received) && normalizedText(writtenBefore) !== normalizedText(sent)
    );
  }
}

/**
 * Finds an item of a written list that the read list lacks. Ignores items that have a value in common with another
 * written item, since the server may replace one by the other.
 */
export function findLostItem(
  written: readonly Json[],
  read: Json,
  schemas: WrittenSchemas,
  run: Run,
): Defect | undefined {
  if (!isArray(read)) return undefined;
  const ofItems = {
    written: itemsOf(schemas.written, run.requestSchemas),
    read: itemsOf(schemas.read, run.responseSchemas),
  };
  const isListed = (item: Json): boolean =>
    read.some((other) => findDifference(item, other, ofItems, run) === undefined);
  const isUnlike = (item: Json): boolean =>
    written.every((other) => other === item || !membersOf(item).some(([, member]) => hasValue(other, member)));
  return written.some((item) => isUnlike(item) && !isListed(item))
    ? defectOf('the list lacks an item that a PUT of the list has written')
    : undefined;
}

/**
 * Returns whether a read value equals the written value, apart from normalization.
 *
 * @param isKept whether an earlier read had the same value, although a different value had been written
 */
export function isSame(
  sent: Json,
  read: Json | undefined,
  schemas: SchemaDocument,
  schema: JsonSchema,
  isKept = false,
): boolean {
  const flat = mergeAllOf(schemas, schema);
  const { format } = typeof flat === 'boolean' ? {} : (flat as { format?: string });
  if (format === 'password') return true;
  if (sent === null) return true; // The server may set a default.
  if (isArray(sent)) {
    if (!sent.every(isScalar)) return !(isArray(read ?? null) && membersIn(read).length === 0 && sent.length > 0);
    const known = new Set(membersIn(read).map((item) => normalizedText(item)));
    return sent.every((item) => known.has(normalizedText(item))) && (isArray(read ?? null) || sent.length === 0);
  }
  if (sent === '') return read === '' || read === null || read === undefined;
  if (read === undefined || read === null) return false;
  if (typeof sent === 'number' && !Number.isInteger(sent)) return isClose(sent, Number(read));
  if (typeof sent !== 'string' || format === undefined) return normalizedText(sent) === normalizedText(read);
  if (format.startsWith('date') && typeof read === 'string') {
    const [one, other] = [Date.parse(sent), Date.parse(read)];
    return normalizedText(sent) === normalizedText(read) || Number.isNaN(one) || Math.abs(one - other) < 1_000;
  }
  // In other formats, such as URLs and durations, different texts may have the same value.
  return !(isKept || ['email', 'uuid'].includes(format)) || normalizedText(sent) === normalizedText(read);
}

/** Returns whether a value has an equal part. */
function hasValue(whole: Json, value: Json): boolean {
  return stringifyJson(whole) === stringifyJson(value) || membersOf(whole).some(([, part]) => hasValue(part, value));
}

function membersIn(value: Json | undefined): readonly Json[] {
  return value !== undefined && isArray(value) ? value : [];
}

/** Returns whether two numbers are nearly equal. Servers may round to the precision of their columns. */
function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) <= Math.max(0.01, Math.abs(one) * 1e-6);
}

/** Returns a text that is equal for values that servers may store alike: they may trim texts, or change their case. */
export function normalizedText(value: Json): string {
  return typeof value === 'string'
    ? value.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()
    : stringifyJson(value);
}

const MAX_CHARS = 60;

function shortText(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = stringifyJson(value);
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
