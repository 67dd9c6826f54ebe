import { type BodyKind, type JsonTree, matchMediaType, parseJsonTree } from '@contract-first/contract';
import { tokensOf } from '@contract-first/documents';
import { type Case, NOT_OF_OPERATION } from '@contract-first/model/cases';
import { type ApiOperation, type ApiResponse, type BodyContent, encodingOf } from '@contract-first/model/operations';
import {
  type Excerpt,
  readingsOf,
  readingsOfHeader,
  type Redactor,
  type RequestInput,
  TIME_OUT,
  type WireResponse,
} from '@contract-first/model/requests';
import {
  integerOf,
  isInt64,
  type Json,
  type JsonSchema,
  membersOf,
  type Oracle,
  type SchemaViolation,
  syntaxProblem,
} from '@contract-first/model/values';
import { type Defect, defectOf } from './defect.ts';

/** The input of every check: a test case and the response to its request. */
export type JudgedExchange = {
  readonly operation: ApiOperation;
  readonly testCase: Case;
  readonly response: WireResponse;
  /** The response to the test case's original request. */
  readonly original?: WireResponse | undefined;
  /** The time limit of each response. */
  readonly maxResponseTimeMs?: number | undefined;
  /** Redacts secrets in messages. */
  readonly redactor: Pick<Redactor, 'header' | 'isSecret' | 'text'>;
  /** Validates against the request schemas. */
  readonly requestOracle: Oracle;
  /** Validates against the response schemas. */
  readonly responseOracle: Oracle;
  /** Further statuses that are accepted for valid data, from `--expect`. */
  readonly expectedStatuses: ReadonlySet<number>;
};

/** Checks a response. Returns `undefined` when the check passes. */
export type ConformanceCheck = (exchange: JudgedExchange) => Defect | undefined;

/** Finds the documented response for a status: the exact status, its range (`4XX`), or `default`. */
export function documentedResponse({ responses }: ApiOperation, status: number): ApiResponse | undefined {
  const digit = String(status).charAt(0);
  return responses[status] ?? responses[`${digit}XX`] ?? responses[`${digit}xx`] ?? responses['default'];
}

/** Returns the documented schema of the body for a status; `undefined` if there is none. */
export function bodySchemaOf(operation: ApiOperation, status: number): JsonSchema | undefined {
  return documentedResponse(operation, status)?.contents.find(({ schema }) => schema !== undefined)?.schema;
}

// The kinds of bodies that are validated against their schemas.
const READ: readonly (BodyKind | undefined)[] = ['json', 'text'];
const NO_INTEGERS: LargeIntegers = new Map();
// Statuses that reject requests that violate the document or HTTP.
const REJECTIONS = [400, 401, 403, 404, 405, 406, 413, 415, 422];

/**
 * Returns whether a faulty request is rejected with an undocumented status. A document need not describe all statuses
 * (OpenAPI 3.1, 4.8.16).
 */
export function isUndocumentedRejection({ operation, testCase, response: { status } }: JudgedExchange): boolean {
  return (
    testCase.kind !== 'positive' && REJECTIONS.includes(status) && documentedResponse(operation, status) === undefined
  );
}

const NO_RESPONSE = 'no valid response';

/** The circumstance of a failure without any response within the time limit. */
export const TIMED_OUT = `${NO_RESPONSE}: ${TIME_OUT}`;

/** Describes a missing or incomplete response. */
export function noResponse({ totalBytes }: Excerpt, cause: string): Defect {
  const message = `${totalBytes > 0 ? 'the response is incomplete' : NO_RESPONSE}: ${cause}`;
  return { ...defectOf(message), circumstances: [message] };
}

/** Checks that the status is documented, unless it is the rejection of a faulty request. */
export const statusCodeConformance: ConformanceCheck = (exchange) => {
  const { operation, response } = exchange;
  if (documentedResponse(operation, response.status) !== undefined || isUndocumentedRejection(exchange))
    return undefined;
  const cause = `status ${String(response.status)} is not documented`;
  return defectOf(`${cause}, only ${Object.keys(operation.responses).join(', ')}`, cause);
};

/** Checks that the document describes the rejection of a faulty request. */
export const documentedRejection: ConformanceCheck = (exchange) =>
  isUndocumentedRejection(exchange)
    ? defectOf(`a rejection has status ${String(exchange.response.status)}, which is not documented`)
    : undefined;

/** Checks that the media type is documented for the status, and that undocumented bodies are empty. */
export const contentTypeConformance: ConformanceCheck = (exchange) => {
  const { operation, response, redactor } = exchange;
  const documented = documentedResponse(operation, response.status);
  if (documented === undefined || exchange.testCase.request.method === 'HEAD') return undefined;
  const received = headerOf(response, 'content-type');
  const expected = documented.contents.map(({ mediaType }) => mediaType).join(', ');
  if (expected === '')
    return response.body.length > 0 ? defectOf('there is a body, but none is documented') : undefined;
  if (received === undefined) return defectOf(`there is no Content-Type, but ${expected} is documented`);
  return contentOf(documented, response) === undefined
    ? defectOf(`Content-Type is ${redactor.text(received)}, but ${expected} is documented`)
    : undefined;
};

/** Checks that required headers are present, and that documented headers match their schemas. */
export const responseHeadersConformance: ConformanceCheck = ({ operation, response, responseOracle, redactor }) => {
  for (const { name, required, schema } of documentedResponse(operation, response.status)?.headers ?? []) {
    const text = headerOf(response, name);
    if (text === undefined) {
      if (required) return defectOf(`the header ${name} is missing`);
      continue;
    }
    if (readingsOfHeader(text).some((reading) => responseOracle.allows(schema, reading))) continue;
    const cause = `the header ${name} does not match its schema`;
    return defectOf(`${cause}: ${redactor.header(name, text)}`, cause);
  }
  return undefined;
};

/** Checks that the body matches its schema, and that int64 values are returned exactly as sent. */
export const responseSchemaConformance: ConformanceCheck = (exchange) => {
  const { operation, testCase, response, responseOracle: oracle } = exchange;
  const documented = documentedResponse(operation, response.status);
  if (documented === undefined || exchange.testCase.request.method === 'HEAD') return undefined;
  const content = contentOf(documented, response);
  if (content === undefined || response.limitBytes !== undefined) return undefined;
  const encoding = encodingOf(content);
  if (encoding === 'text') {
    const text = response.body.toString();
    const isAllowed = readingsOf(text).some((reading) => oracle.allows(content.schema, reading));
    const tree = parseJsonTree(JSON.stringify(text));
    const violation = oracle.violation(content.schema, tree);
    return isAllowed || violation === undefined ? undefined : describeInvalidBody(violation, tree);
  }
  if (encoding !== 'json') return undefined;

  let text: string;
  let json: JsonTree;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(response.body);
    json = parseJsonTree(text);
  } catch (error) {
    const cause = 'the body is not JSON';
    return defectOf(`${cause}: ${syntaxProblem(error as Error)}`, cause); // No other values are thrown.
  }
  const repeated = findRepeatedMember(text);
  if (repeated !== undefined) return defectOf(`the body has a member twice: ${repeated}`);
  const sent = testCase.input === undefined || response.status >= 300 ? NO_INTEGERS : largeIntegersIn(testCase.input);
  const int64s = new Map<object, Set<string>>();
  const onInt64 = (holder: object, key: string): void => {
    int64s.set(holder, (int64s.get(holder) ?? new Set()).add(key));
  };
  const violation = oracle.violation(content.schema, json, sent.size === 0 ? undefined : onInt64);
  // The largest int64s are rounded to integers out of range, which violate the schema, too.
  const rounded = findRounded(sent, json, (holder, key) => int64s.get(holder)?.has(key) === true);
  if (rounded !== undefined) return defectOf(rounded, 'an integer is rounded', 'data');
  return violation && describeInvalidBody(violation, json);
};

/**
 * Describes an invalid body. The cause names only the invalid member, since its index in a list varies. All unexpected
 * nulls have one cause, since a server that writes null for missing values does so for every member.
 */
function describeInvalidBody({ path, keyword, message }: SchemaViolation, { root }: JsonTree): Defect {
  const parts = tokensOf(`#${path}`);
  const value = parts.reduce<unknown>((part, name) => (Object(part) as Record<string, unknown>)[name], root['']);
  const name = parts.findLast((part) => !/^\d*$/.test(part)) ?? 'the body';
  const isUnknown = ['additionalProperties', 'unevaluatedProperties'].includes(keyword);
  const cause = isUnknown ? message : `${name} ${message}`;
  const isNull = value === null && path !== '';
  return defectOf(`the body${path} ${message}`, isNull ? 'a member that must not be null is null' : cause);
}

/** Checks that a response is within the size limit. Files and streams may be larger. */
export const maxResponseSize: ConformanceCheck = (exchange) => {
  const { status, limitBytes } = exchange.response;
  if (limitBytes === undefined || isUnlimitedBody(exchange)) return undefined;
  return defectOf(`the response with status ${String(status)} has more than ${String(limitBytes)} bytes`);
};

/** Returns whether a response beyond the size limit is a documented file or stream, whose body is not validated. */
export function isUnlimitedBody(exchange: JudgedExchange): boolean {
  const { operation, response } = exchange;
  const documented = documentedResponse(operation, response.status);
  const isDescribed = documented !== undefined && !NOT_OF_OPERATION.includes(exchange.testCase.kind);
  if (response.limitBytes === undefined || !isDescribed) return false;
  const content = contentOf(documented, response);
  return content !== undefined && !READ.includes(encodingOf(content));
}

/** Returns the value of a header. Several lines with the same name are joined to a list (RFC 9110, 5.3). */
export function headerOf({ headers }: Pick<WireResponse, 'headers'>, name: string): string | undefined {
  const values = headers.filter(([other]) => other === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

function contentOf({ contents }: ApiResponse, response: Pick<WireResponse, 'headers'>): BodyContent | undefined {
  const documented = contents.map(({ mediaType }) => mediaType);
  const match = matchMediaType(headerOf(response, 'content-type') ?? '', documented);
  return contents.find(({ mediaType }) => mediaType === match);
}

/** Finds the first duplicate member name in a valid JSON text. Returns it as JSON, or `undefined`. */
export function findRepeatedMember(text: string): string | undefined {
  const open: Set<string>[] = []; // The member names of each unclosed object.
  let start: number | undefined; // The index of the unclosed string.
  // An expression that matches whole strings would overflow the stack on long strings.
  for (const { 0: token, index } of text.matchAll(/\\.|["{}]/g)) {
    if (start !== undefined) {
      if (token !== '"') continue;
      const name = text.slice(start, index + 1);
      start = undefined;
      COLON.lastIndex = index + 1;
      if (!COLON.test(text)) continue;
      const key = JSON.stringify(JSON.parse(name)); // Equal names may have different escapes.
      const names = open.at(-1);
      if (names?.has(key) === true) return key;
      names?.add(key);
    } else if (token === '"') start = index;
    else if (token === '{') open.push(new Set());
    else open.pop();
  }
  return undefined;
}

const COLON = /\s*:/y;

/** The integers of a request beyond the safe range of a double, by name. */
type LargeIntegers = ReadonlyMap<string, readonly bigint[]>;

/** Collects the integers of a request that may be rounded. */
function largeIntegersIn({ parameters, body }: RequestInput): LargeIntegers {
  const sent = new Map<string, bigint[]>();
  for (const { parameter, value } of parameters) collectSent(parameter.name, value, sent);
  if (body !== undefined && encodingOf(body.content) === 'json') collectSent('', body.value, sent);
  return sent;
}

/**
 * Finds an int64 that the server rounded to a double: the response has the rounded value under the same name. Other
 * differences may be intended.
 *
 * @param isInt64At returns whether a number of the response is declared as int64
 * @returns a message, or `undefined`
 */
function findRounded(
  sent: LargeIntegers,
  json: JsonTree,
  isInt64At: (holder: object, key: string) => boolean,
): string | undefined {
  return search(json.root, '', '');

  function search(holder: object, key: string, name: string): string | undefined {
    const value = (holder as Readonly<Record<string, unknown>>)[key];
    if (typeof value === 'number') {
      if (!isInt64At(holder, key)) return undefined;
      const exact = integerOf(json.sourceDigits.get(holder, key) ?? String(value));
      const candidates = sent.get(name) ?? [];
      if (candidates.includes(exact ?? 0n)) return undefined;
      const rounded = candidates.filter(isInt64).find((integer) => roundingsOf(Number(integer)).includes(exact));
      return rounded === undefined
        ? undefined
        : `${name} was sent as ${String(rounded)} and returned as ${String(exact)}`;
    }
    if (typeof value !== 'object' || value === null) return undefined;
    // Array items are compared under the name of the array.
    for (const member of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      const found = search(value, String(member), typeof member === 'number' ? name : member);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Returns the integers that serializers write for a double: its exact value, or its shortest digits and zeros. */
function roundingsOf(double: number): readonly (bigint | undefined)[] {
  return [BigInt(double), integerOf(String(double))];
}

function collectSent(name: string, value: Json, sent: Map<string, bigint[]>): void {
  const isNumber = typeof value === 'bigint' || typeof value === 'number';
  if (isNumber && Number.isInteger(Number(value)) && !Number.isSafeInteger(Number(value))) {
    sent.set(name, [...(sent.get(name) ?? []), BigInt(value)]);
  }
  for (const [key, member] of membersOf(value)) collectSent(typeof key === 'number' ? name : key, member, sent);
}
