import { memoizeByObject } from '@contract-first/contract';
import type { ApiOperation, BodyContent, ApiParameter } from '../operations/api-operation.ts';
import { encodingOf, omitNonFormMembers } from '../operations/body-bytes.ts';
import { credentialsFor, type Tokens } from '../requests/credentials.ts';
import { isArray, isObject, isScalar, membersOf, replaceAt, type Json } from '../values/json-value.ts';
import type { Oracle } from '../values/oracle.ts';
import { readingsOf, readingsOfParameter, writeParameter } from '../requests/parameter-text.ts';
import { isChunked, writeRequest, type RequestInput, type WireRequest } from '../requests/wire-request.ts';

/** The kind of a test case, which determines the expected response. */
export type CaseKind =
  // A valid request.
  | 'positive'
  // A request with invalid data.
  | 'negative'
  // A request that servers may accept or reject.
  | 'undecided'
  // A request without a required header.
  | 'missing header'
  | 'unsupported method'
  | 'unknown path'
  // HEAD instead of GET.
  | 'header fields only'
  // A request with missing or wrong credentials.
  | 'no authentication'
  // A valid request of the second user for a resource of the first user.
  | 'other user';

/** The kinds of requests with an undocumented method or path, including HEAD. */
export const NOT_OF_OPERATION: readonly CaseKind[] = ['unsupported method', 'unknown path', 'header fields only'];

/** A test case: a request with its kind. */
export type Case = {
  readonly kind: CaseKind;
  /** Describes the request in messages. */
  readonly description: string;
  /** Describes all requests with the same fault; by default, the description. */
  readonly group?: string | undefined;
  readonly request: WireRequest;
  /** The values of the request; `undefined` for requests that cannot be simplified. */
  readonly input: RequestInput | undefined;
  /** The original request, sent first: its response determines the expected response. */
  readonly original?: WireRequest;
  /** The same case in the usual spelling of HTTP and JSON. Failures of both cases are not caused by the spelling. */
  readonly usual?: Case | undefined;
};

/** A documented media type of a request body; `undefined` for a request without a body. */
export type BodyChoice = BodyContent | undefined;

/** Generates a case that cannot be simplified, unless the request cannot be serialized. */
export function irreducibleCase(
  kind: CaseKind,
  description: string,
  request: WireRequest | undefined,
  group?: string,
): readonly Case[] {
  return request === undefined ? [] : [{ kind, description, group, request, input: undefined }];
}

/** Creates a test case from values; returns `undefined` if they cannot be serialized or their validity is undecided. */
export function caseOf(operation: ApiOperation, oracle: Oracle, input: RequestInput, tokens: Tokens): Case | undefined {
  const kind = classify(operation, oracle, input);
  if (kind === undefined) return undefined;
  const request = writeRequest(operation, input, credentialsFor(operation, tokens));
  return request && !isOfOther(operation, request) ? { kind, description: kind, request, input } : undefined;
}

/** Returns the kind of a case. A valid request is undecided if it violates the documented schema of Content-Length. */
export function decideKind({ contentLength }: ApiOperation, oracle: Oracle, { kind, request }: Case): CaseKind {
  const { body } = request;
  if (kind !== 'positive' || contentLength === undefined || body === undefined) return kind;
  return !isChunked(request) && oracle.allows(contentLength, BigInt(body.length)) ? kind : 'undecided';
}

/** Returns whether a request matches a more specific path: `1.5` in `/{id}` beside `/{id}.{format}`. */
function isOfOther({ moreSpecificPaths }: ApiOperation, { target }: WireRequest): boolean {
  const [path = ''] = target.split('?');
  return moreSpecificPaths.some((pattern) => pattern.test(path));
}

/**
 * Decides whether the document allows a request.
 *
 * @returns `undefined` if the validity depends on the server (`1` in a query is a number or a string; OpenAPI does not
 *   define the default of a required value), or if a value cannot be serialized
 */
export function classify(
  operation: ApiOperation,
  oracle: Oracle,
  { parameters, body }: RequestInput,
): CaseKind | undefined {
  const missing = operation.parameters.filter(
    (parameter) => parameter.required && !parameters.some((sent) => sent.parameter === parameter),
  );
  const read = readParameters(oracle);
  const readings = parameters.map(read).filter((one) => one !== undefined);
  if (readings.length < parameters.length) return undefined;
  const bodyReading = readBody(operation, oracle, body);
  const rejected = missing.filter(({ hasDefault }) => !hasDefault);

  if (rejected.some(({ in: location }) => location !== 'header')) return 'negative';
  if ([...readings, bodyReading].some(({ allowed, possible }) => !allowed && !possible)) return 'negative';
  if (rejected.length > 0) return 'missing header';
  return missing.length === 0 && [...readings, bodyReading].every(({ allowed }) => allowed) ? 'positive' : undefined;
}

/**
 * Returns a function that decides whether a parameter is valid; `undefined` if it cannot be sent. The variants of a request
 * share most parameters.
 */
const readParameters = memoizeByObject((oracle: Oracle) =>
  memoizeByObject(({ parameter, value }: SentParameter): Reading | undefined => {
    const { schema, isJson, isAmbiguous } = parameter;
    if (writeParameter(parameter, value) === undefined) return undefined;
    const readings = isJson ? [] : readingsOf(value);
    const couldBe = isJson ? [] : readingsOfParameter(parameter, value);
    const typed = readings.filter(
      (reading) => typeof reading !== 'string' && reading !== null && isArray(reading) === isArray(value),
    );
    // A server that parses a number may reject it as too large.
    const isTooLarge = isAmbiguous && [value].flat().some((item) => Math.abs(Number(item)) === Infinity);
    return {
      allowed: !isTooLarge && [value, ...(isAmbiguous ? typed : [])].every((reading) => oracle.allows(schema, reading)),
      possible:
        isUnread(parameter, value) ||
        (value === '' && parameter.allowEmptyValue) || // OpenAPI defines no value for it.
        couldBe.some((reading) => oracle.allows(schema, reading)),
    };
  }),
);

type SentParameter = RequestInput['parameters'][number];
/** Whether a value is valid, and whether a server may read it as a valid value. */
type Reading = { readonly allowed: boolean; readonly possible: boolean };

/**
 * Returns whether an object is exploded to separate parameters, so that a server does not see the optional parameter.
 */
function isUnread({ style, explode, required, schema }: ApiParameter, value: Json): boolean {
  if (required || style !== 'form' || !explode || !isObject(value) || typeof schema !== 'object') return false;
  const { type = 'object' } = schema as { readonly type?: string | readonly string[] }; // Validated document.
  return ![type].flat().includes('object');
}

function readBody({ requestBody }: ApiOperation, oracle: Oracle, body: RequestInput['body']): Reading {
  if (body === undefined) {
    // A missing body has an empty media type.
    const possible = requestBody?.contents.some(({ mediaType }) => mediaType === '') ?? false;
    return { allowed: requestBody?.required !== true, possible };
  }
  const encoding = encodingOf(body.content);
  if (encoding === 'binary') return { allowed: true, possible: true };
  if (membersOf(body.value).some(([name, member]) => isUndecided(body.content, name, member)))
    return { allowed: false, possible: true };
  const { schema } = body.content;
  const isForm = encoding === 'form' || encoding === 'multipart';
  if (isForm && !isObject(body.value)) return { allowed: false, possible: true }; // Only objects have fields.
  const value = isForm ? withFileBytes(body.content, omitNonFormMembers(body.value)) : body.value;
  const allowed = oracle.allows(schema, value);
  if (allowed || oracle.mayAllow(schema, value)) return { allowed, possible: true };
  // The text of a form field may also be parsed as a number or a boolean.
  const others = (isForm ? membersOf(value) : []).flatMap(([name, member]) =>
    readingsOf(member).map((reading) => replaceAt(value, [name], reading)),
  );
  const isPossible = (reading: Json): boolean => oracle.allows(schema, reading) || oracle.mayAllow(schema, reading);
  return { allowed: false, possible: others.some(isPossible) };
}

/** Replaces the texts of files by a character for each byte, since the length of a file is its number of bytes. */
function withFileBytes({ parts }: BodyContent, form: Json): Json {
  const toBytes = (file: Json): Json => (typeof file === 'string' ? Buffer.from(file).toString('latin1') : file);
  const members = membersOf(form).map(([name, member]): [string | number, Json] => {
    if (parts.get(String(name))?.isFile !== true) return [name, member];
    return [name, isArray(member) ? member.map(toBytes) : toBytes(member)];
  });
  return Object.fromEntries(members);
}

/** Returns whether servers may parse the text of a form member differently. */
export function isUndecided({ parts }: BodyContent, name: string | number, member: Json): boolean {
  const { isAmbiguous = false, isStructured = true, isText = false } = parts.get(String(name)) ?? {};
  if (isAmbiguous || (!isStructured && !isScalar(member) && member !== null)) return true;
  return isText && isScalar(member) && typeof member !== 'string'; // Servers parse the text as a string.
}
