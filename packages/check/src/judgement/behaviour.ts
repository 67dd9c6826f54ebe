import { memoizeByObject } from '@contract-first/contract';
import { type Case, type CaseKind, hasOtherId } from '@contract-first/model/cases';
import { type ApiOperation, createPairing, type ApiParameter } from '@contract-first/model/operations';
import { isInAuthorization, readingsOfParameter, type RequestInput, UNAVAILABLE } from '@contract-first/model/requests';
import {
  isScalar,
  type Json,
  type JsonSchema,
  membersOf,
  type Oracle,
  propertiesOf,
  type SchemaDocument,
  type SchemaViolation,
  toJsonTree,
} from '@contract-first/model/values';
import { type ConformanceCheck, documentedResponse, type JudgedExchange, headerOf } from './conformance.ts';
import { type Defect, defectOf } from './defect.ts';
import { isServerError, isSuccess } from './statuses.ts';

// Statuses that reject the credentials or the method, not the data. A 403 may reject either.
const NOT_ABOUT_DATA = [401, 405];
// Statuses that reject the request itself, regardless of the server's state.
const ABOUT_REQUEST = [...NOT_ABOUT_DATA, 400, 403, 406, 411, 413, 414, 415, 422, 429, 431];

/** The status for data that violates a rule which schemas cannot express (RFC 9110, 15.5.21). */
const UNPROCESSABLE = 422;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const TOO_MANY = 429;

// If the id in the body differs from the id in the path, a server may answer 400, 409 or 422.
const REFUSALS_OF_OTHER_ID = [400, 409, 422];

/** The maximum depth of objects around a password. */
const MAX_DEPTH = 1;

/** Checks that no request causes a 5xx. */
export const notAServerError: ConformanceCheck = (exchange) => {
  const { operation, testCase, response, requestOracle } = exchange;
  const { status } = response;
  if (!isServerError(operation, status) || isPairedStatus(exchange)) return undefined;
  const { message, cause, circumstances } = describeRequest(operation, testCase, requestOracle, false);
  const outcome = `the status is ${String(status)} for `;
  // A 503 describes the server, not the request (RFC 9110, 15.6.4).
  if (status === UNAVAILABLE) return { message: outcome + message, cause: `the status is ${String(status)}` };
  return { message: outcome + message, cause: outcome + cause, circumstances };
};

/** Checks that invalid data is rejected with a 4xx. */
export const negativeDataRejection: ConformanceCheck = (exchange) => mustReject(exchange);

/** Checks that a request without a required header is rejected with a 4xx. */
export const missingRequiredHeader: ConformanceCheck = (exchange) => mustReject(exchange);

/**
 * Checks that valid data gets a 2xx, or a 3xx whose exact status is documented, or a documented 3xx if that is the only
 * success.
 *
 * A documented 4xx that depends on the server's state, such as 404 or 409, is accepted too, since the check cannot know
 * that state, and so is a refusal by a rule that the document cannot express (see {@link isByUnknownRule}). If the request consists of named examples, the status of the response example with the same name is
 * accepted as well.
 */
export const positiveDataAcceptance: ConformanceCheck = (exchange) => {
  const { operation, response, expectedStatuses } = exchange;
  const { status } = response;
  if (status >= 500) return undefined; // Reported by not_a_server_error.
  if (expectedStatuses.has(status) || isSuccess(status) || isPairedStatus(exchange)) return undefined;
  if (isRefusedForOtherId(exchange)) return undefined;
  if (isRefusalOfCredentials(exchange)) return undefined;
  const outcome = `got status ${String(status)}`;
  if (documentedResponse(operation, status) === undefined)
    return outcomeOf(exchange, ` ${outcome}, which is not documented`);
  if (!describesSuccess(operation) || isByUnknownRule(operation, status)) return undefined;
  const isRefused =
    status >= 300 && status < 400 ? !isUsualRedirect(operation, status) : ABOUT_REQUEST.includes(status);
  return isRefused || status < 200 ? outcomeOf(exchange, ` ${outcome}`) : undefined;
};

function isUsualRedirect({ responses }: ApiOperation, status: number): boolean {
  return responses[status] !== undefined || !Object.keys(responses).some((key) => /^2|^default$/.test(key));
}

/**
 * Returns whether an operation documents exactly this status, and the document does not say when: 403, 422, 429, or
 * without security 401.
 */
export function isByUnknownRule({ responses, security }: ApiOperation, status: number): boolean {
  if (responses[status] === undefined) return false;
  return [FORBIDDEN, UNPROCESSABLE, TOO_MANY].includes(status) || (security.length === 0 && status === UNAUTHORIZED);
}

/** Returns whether an operation documents a 2xx, 3xx or `default` response. */
export function describesSuccess({ responses }: ApiOperation): boolean {
  return Object.keys(responses).some((key) => /^[23]|^default$/.test(key));
}

/** Checks that an undocumented method gets 405 with the documented methods in `Allow` (RFC 9110, 15.5.6). */
export const unsupportedMethod: ConformanceCheck = ({ operation, testCase, response, redactor }) => {
  const { method } = testCase.request;
  if (response.status >= 500) return undefined; // Reported by not_a_server_error.
  if (response.status !== 405) {
    const outcome = response.status < 300 ? 'accepted' : 'rejected without a 405';
    return defectOf(
      `the undocumented method ${method} got status ${String(response.status)} instead of 405`,
      `an undocumented method is ${outcome}`,
    );
  }
  const allow = headerOf(response, 'allow');
  if (allow === undefined) return defectOf('the 405 response has no Allow header');
  const allowed = allow.split(',').map((name) => name.trim());
  const missing = operation.pathMethods.filter((name) => !allowed.includes(name));
  if (missing.length > 0)
    return defectOf(
      `Allow is "${redactor.text(allow)}", without ${missing.join(', ')}`,
      'Allow lacks a documented method',
    );
  return allowed.includes(method)
    ? defectOf(`Allow lists ${method}, which got 405`, 'Allow lists a method that got 405')
    : undefined;
};

/** Checks that the response arrives within the time limit. */
export const maxResponseTime: ConformanceCheck = ({ response: { elapsedMs }, maxResponseTimeMs = Infinity }) =>
  elapsedMs > maxResponseTimeMs
    ? defectOf(
        `the response took ${String(Math.ceil(elapsedMs))} ms, more than ${String(maxResponseTimeMs)} ms`,
        'the response took too long',
      )
    : undefined;

/** Checks that invalid credentials get 401 with a challenge (RFC 9110, 15.5.2), or 403 if only that is documented. */
export const ignoredAuth: ConformanceCheck = ({ operation, testCase, response }) => {
  const { status } = response;
  if (status === 403 && operation.responses[403] !== undefined && documentedResponse(operation, 401) === undefined)
    return undefined;
  if (status !== 401) {
    const outcome = `the status is ${String(status)} instead of 401`;
    const cause = status === 403 ? outcome : `${status < 300 ? 'accepted' : 'rejected'} without a 401`;
    return defectOf(`with ${testCase.description}, ${outcome}`, cause, status === 403 ? 'protocol' : undefined);
  }
  const needsChallenge = operation.security.flat().some(isInAuthorization);
  return needsChallenge && headerOf(response, 'www-authenticate') === undefined
    ? defectOf('the 401 response has no WWW-Authenticate header', undefined, 'protocol')
    : undefined;
};

/**
 * Checks that HEAD gets the same status and header fields as GET (RFC 9110, 9.3.2). A 405 is accepted, although
 * general-purpose servers must support HEAD (RFC 9110, 9.1).
 */
export const headConformance: ConformanceCheck = ({ response, original, redactor }) => {
  const { status } = response;
  if (original === undefined || status === 405 || status >= 500) return undefined;
  if (status !== original.status)
    return defectOf(`HEAD got status ${String(status)}, but GET got ${String(original.status)}`);
  const [type, typeOfGet] = [response, original].map((one) => headerOf(one, 'content-type'));
  if (type !== undefined && type !== typeOfGet)
    return defectOf(`HEAD got Content-Type ${redactor.text(type)}, but GET got ${redactor.text(typeOfGet ?? 'none')}`);
  // Two lengths above 0 may differ, since the resource may have changed.
  const isEmpty = headerOf(response, 'content-length') === '0' && original.body.length > 0;
  return isEmpty ? defectOf('HEAD got Content-Length 0, but GET got a body') : undefined;
};

/** Returns whether a documented 401 may refuse other credentials than the token, such as the password of a login. */
function isRefusalOfCredentials({
  operation,
  response: { status },
  requestOracle: { schemas },
  redactor: { isSecret },
}: JudgedExchange): boolean {
  const { parameters, requestBody, responses, security } = operation;
  if (status !== UNAUTHORIZED || responses[UNAUTHORIZED] === undefined) return false;
  const hasSecret = (schema: JsonSchema | undefined, depth: number): boolean =>
    Object.entries(propertiesOf(schemas, schema)).some(
      ([name, property]) => isSecret('member', name) || (depth > 0 && hasSecret(property, depth - 1)),
    );
  return (
    security.length === 0 ||
    parameters.some(({ in: place, name }) => isSecret(place, name)) ||
    requestBody?.contents.some(({ schema }) => hasSecret(schema, MAX_DEPTH)) === true
  );
}

/**
 * Returns whether the server rejected a PUT or PATCH because the id in the body differs from the id in the path. The
 * schemas allow such requests, and OpenAPI does not define their meaning.
 */
function isRefusedForOtherId({ operation, testCase: { input }, response: { status } }: JudgedExchange): boolean {
  return input !== undefined && REFUSALS_OF_OTHER_ID.includes(status) && hasOtherId(operation, input);
}

function mustReject(exchange: JudgedExchange): Defect | undefined {
  const { operation, response } = exchange;
  const { status } = response;
  if (status >= 500) return undefined; // Reported by not_a_server_error.
  if (status >= 400 && (!NOT_ABOUT_DATA.includes(status) || isByUnknownRule(operation, status))) return undefined;
  if (isRefusalOfCredentials(exchange)) return undefined;
  // Some documents use 405 to reject data, such as "Invalid input" in the Petstore example.
  if (status === 405 && operation.responses[405] !== undefined) return undefined;
  return outcomeOf(exchange, ` got status ${String(status)}`, status < 400 ? ' is accepted' : undefined);
}

function outcomeOf(
  { operation, testCase, response, requestOracle }: JudgedExchange,
  outcome: string,
  generalOutcome = outcome,
): Defect {
  const isAccepted = response.status < 400;
  const { message, cause, circumstances } = describeRequest(operation, testCase, requestOracle, isAccepted);
  // The cause is the unusual value, not the status that rejects it.
  const isUnusual = testCase.kind === 'positive' && circumstances.length > 0;
  return { message: message + outcome, cause: cause + (isUnusual ? ' is refused' : generalOutcome), circumstances };
}

const pairingsOf = memoizeByObject((schemas: SchemaDocument) =>
  memoizeByObject((operation: ApiOperation) => createPairing(operation, schemas)),
);

/** Returns whether the request consists of named examples, and the document pairs their name with the status. */
function isPairedStatus({
  operation,
  testCase: { input },
  response: { status },
  requestOracle,
}: JudgedExchange): boolean {
  if (input === undefined) return false;
  const { parameters, body } = input;
  const valueOf = (wanted: ApiParameter): Json | undefined =>
    parameters.find(({ parameter }) => parameter === wanted)?.value;
  const pair = pairingsOf(requestOracle.schemas)(operation)?.({ valueOf, body });
  return pair !== undefined && documentedResponse(operation, status) === operation.responses[pair.key];
}

/** Describes a request in messages. */
type RequestDescription = {
  /** Includes the values of the request. */
  readonly message: string;
  /** Includes no values, so that equal causes can be grouped. */
  readonly cause: string;
  /** Unusual properties that may explain a failure; empty for plain valid data. */
  readonly circumstances: readonly string[];
};

const SUBJECTS: Readonly<Record<CaseKind, string>> = {
  positive: 'valid data',
  negative: 'invalid data',
  undecided: 'unusual data',
  'missing header': 'a request without a required header',
  'no authentication': 'invalid credentials',
  'unsupported method': 'an undocumented method',
  'unknown path': 'an unknown path',
  'header fields only': 'an undocumented method',
  'other user': 'a request of another user',
};
const WITH_DATA: readonly CaseKind[] = ['positive', 'negative', 'undecided'];
const LONG_CHARS = 500;
const REQUIRED = 'required'; // The schema keyword.
const NO_PARAMETER = 'without a required parameter';
const NO_BODY = 'without a body';
// Without a readable body, many servers assume an empty object.
const UNREAD = [NO_BODY, 'sent as another media type'];
// Values that servers often mishandle.
const UNUSUAL: Readonly<Record<string, (value: Json) => boolean>> = {
  'a lone surrogate': (value) => typeof value === 'string' && !value.isWellFormed(),
  'U+0000': (value) => typeof value === 'string' && value.includes('\0'),
  'a character beyond U+FFFF': (value) => typeof value === 'string' && /[^\0-\uffff]/u.test(value),
  'a long text': (value) => typeof value === 'string' && value.length > LONG_CHARS,
  'an empty text': (value) => value === '',
  'a large number': (value) => typeof value !== 'string' && Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER,
};

/**
 * Describes the request of a test case.
 *
 * @param isAccepted whether the server accepted the request; unusual values then do not explain a failure
 */
function describeRequest(
  operation: ApiOperation,
  testCase: Case,
  oracle: Oracle,
  isAccepted: boolean,
): RequestDescription {
  const { kind, description, group = description, input } = testCase;
  const subject = SUBJECTS[kind];
  const describe = (detail: string, cause: string, circumstances: readonly string[]): RequestDescription => {
    const detailed = (text: string): string => (text === '' ? subject : `${subject} (${text})`);
    return { message: detailed(detail), cause: detailed(cause), circumstances };
  };
  if (!WITH_DATA.includes(kind)) return describe(description === kind ? '' : description, '', [subject]);
  if (description !== kind) {
    // A failure for malformed data explains the same failure for similar data that servers may accept.
    if (kind === 'undecided') return describe(description, description, [...new Set([group, description])]);
    return describe(description, group, isAccepted && UNREAD.includes(group) ? ofBody(group) : [group]);
  }
  if (input === undefined) return describe('', '', []);
  const invalid = kind === 'negative' ? findInvalid(operation, input, oracle) : [];
  const unusual = isAccepted ? [] : findUnusual(input);
  const rules = invalid.map(({ rule }) => rule);
  const detail = [...invalid.map(({ message }) => message), ...unusual].join(', ');
  const causes = isAccepted ? invalid.flatMap(({ circumstances }) => circumstances) : rules;
  return describe(detail, [...new Set(rules), ...unusual].join(', '), [...causes, ...unusual]);
}

/** Returns whether a circumstance is an unusual value. Servers often mishandle these values in every place. */
export function isUnusualValue(circumstance: string): boolean {
  return Object.hasOwn(UNUSUAL, circumstance);
}

function findUnusual({ parameters, body }: RequestInput): readonly string[] {
  const scalars = [...parameters, ...(body === undefined ? [] : [body])].flatMap(({ value }) => scalarsIn(value));
  return Object.entries(UNUSUAL).flatMap(([name, isUnusual]) => (scalars.some(isUnusual) ? [name] : []));
}

/** Lists all scalars and member names in a value. */
function scalarsIn(value: Json): readonly Json[] {
  if (isScalar(value)) return [value];
  return membersOf(value).flatMap(([name, member]) => [
    ...(typeof name === 'string' ? [name] : []),
    ...scalarsIn(member),
  ]);
}

/** Lists the circumstances of an accepted body. A server that does not check required members checks no other rule. */
function ofBody(rule: string): readonly string[] {
  return rule === REQUIRED ? [rule] : [REQUIRED, rule];
}

/** An invalid part of a request. */
type InvalidPart = {
  readonly message: string;
  /** The violated rule. */
  readonly rule: string;
  /** The circumstances of its acceptance. */
  readonly circumstances: readonly string[];
};

/** Finds all invalid parts of a request, since each of them may cause a failure. */
function findInvalid(
  { parameters: declared, requestBody }: ApiOperation,
  { parameters, body }: RequestInput,
  oracle: Oracle,
): readonly InvalidPart[] {
  const placeOf = ({ in: location, name }: ApiParameter): string => `${location} parameter ${name}`;
  const without = (parameter: ApiParameter): string => `without the ${placeOf(parameter)}`;
  const missing = declared
    .filter((parameter) => parameter.required && !parameters.some((other) => other.parameter === parameter))
    .map((parameter) => {
      return { message: without(parameter), rule: NO_PARAMETER, circumstances: [without(parameter)] };
    });
  const invalid = parameters.flatMap(({ parameter, value }): readonly InvalidPart[] => {
    const readings = readingsOfParameter(parameter, value);
    const violations = readings.flatMap((reading) => oracle.violation(parameter.schema, toJsonTree(reading)) ?? []);
    // If the value has the right type, report the other violated rule.
    const violation = violations.find(({ keyword }) => keyword !== 'type') ?? violations[0];
    if (violation === undefined || violations.length < readings.length) return [];
    // If the server also accepts requests without the parameter, it ignores the parameter: both failures have one
    // cause.
    const circumstances = [...(parameter.required ? [without(parameter)] : []), violation.keyword];
    return [{ ...describeViolation(placeOf(parameter), violation), circumstances }];
  });
  return [...missing, ...invalid, ...invalidBody()];

  function invalidBody(): readonly InvalidPart[] {
    if (body === undefined)
      return requestBody?.required === true
        ? [{ message: NO_BODY, rule: NO_BODY, circumstances: ofBody(NO_BODY) }]
        : [];
    const violation = oracle.violation(body.content.schema, toJsonTree(body.value));
    return violation === undefined
      ? []
      : [{ ...describeViolation('body', violation), circumstances: ofBody(violation.keyword) }];
  }
}

function describeViolation(place: string, { path, keyword, message }: SchemaViolation) {
  return { message: `${place}${path} ${message}`, rule: keyword };
}
