import { textLength } from './check-cost.ts';
import { insertMissingDefaults, MISSING_DEFAULTS } from './missing-defaults.ts';
import { DIGITS, type DigitsOf } from './exact-values.ts';
import { findResponseKey, type Operation } from '../operations/operation.ts';
import { formatErrors, toViolation } from './schema-errors.ts';
import { isWithin, joinTexts, type Violation } from '../operations/violation.ts';
import type { CompiledSchemas } from './schema-compiler.ts';
import { runWithin, TimeLimitExceeded } from './time-limit.ts';
import { combineViolations, type SchemaCheck } from './violation-finder.ts';

/** The values of a request. The validator inserts defaults into valid values, in place. */
export type RequestParts = {
  readonly path: object;
  readonly query: object;
  /** The headers by lower-case name. */
  readonly headers: object;
  readonly cookies: object;
  /** The documented media type of the body. */
  readonly mediaType: string | undefined;
  readonly body: unknown;
  readonly bodyBytes?: number;
  /** The body is malformed or bytes; only the parameters are validated. */
  readonly isBodyUnchecked?: boolean;
  readonly digitsOf?: PartDigits | undefined;
};

/** Returns the digits of numbers like {@link DigitsOf}; without a holder, the digits of the body itself. */
export type PartDigits = (holder: object | undefined, key: string) => string | undefined;

// Most valid bodies of 1 MiB take a tenth of this time.
const TIME_LIMIT_MS = 200;
const UNLIMITED_BYTES = 16_384; // Larger bodies always have a time limit.
// The search for violations stops after this time, so that invalid requests cost little more than valid requests.
const SEARCH_LIMIT_MS = 50;

const NONE: readonly SchemaCheck[] = [];

/** Validates the requests and responses of one operation against the document. */
export type OperationValidator = {
  /** @throws {InvalidRequest} with the first violation of the parameters, of the body, or of both */
  readonly request: (parts: RequestParts) => void;
  /** Finds up to ten violations of the parameters and of the body after `request` has thrown the first violations. */
  readonly findViolations: (parts: RequestParts, first: readonly Violation[]) => Promise<readonly Violation[]>;
  /** Validates a JSON or text body. @throws {InvalidResponse} if the response does not conform */
  readonly response: (status: number, mediaType: string, body: unknown, digitsOf?: PartDigits) => void;
  /** Validates the headers of a response, by lower-case name. @throws {InvalidResponse} if they do not conform */
  readonly responseHeaders: (status: number, headers: object, digitsOf?: DigitsOf) => void;
};

/** The request does not conform to the document. The message says how to fix it. */
export class InvalidRequest extends Error {
  readonly violations: readonly Violation[];

  /** @param reason a message, or violations that become the message */
  constructor(reason: string | readonly Violation[]) {
    super(typeof reason === 'string' ? reason : joinTexts(reason));
    this.violations = typeof reason === 'string' ? [] : reason;
  }
}

/** The response does not conform to the document and must not be sent. */
export class InvalidResponse extends Error {}

/**
 * Creates the validator of an operation from its compiled schemas.
 *
 * @param inTurns runs the steps of a generator without blocking the event loop
 */
export function createValidator(
  operation: Operation,
  { parameters, requestBodies, requestCheapBytes, violations, responses, responseCheapBytes }: CompiledSchemas,
  inTurns: <T>(steps: Generator<void, T>) => Promise<T>,
): OperationValidator {
  const withoutBody = [parameters];
  const withBody = new Map(Array.from(requestBodies, ([mediaType, body]) => [mediaType, [parameters, body]]));
  return {
    request(parts) {
      const data = dataOf(parts);
      const failed = isCheap(parts) ? findFailed(parts, data) : runWithinLimit(() => findFailed(parts, data));
      if (failed.length > 0) throw new InvalidRequest(failed.map(({ errors }) => toViolation(errors ?? [])));
      insertMissingDefaults(data);
    },
    async findViolations(parts, first) {
      const search = (find: () => readonly Violation[]): readonly Violation[] | undefined => {
        try {
          return isCheap(parts) ? find() : runWithin(SEARCH_LIMIT_MS, find);
        } catch (error) {
          if (error instanceof TimeLimitExceeded) return undefined;
          throw error;
        }
      };
      const [, body] = checksOf(parts);
      const all: Violation[] = [];
      for (const violation of first) {
        const check = isWithin(violation.place, 'body') ? body : parameters;
        const found = await inTurns(violations.find(check?.schema, dataOf(parts), search));
        all.push(...combineViolations(violation, found));
      }
      return all;
    },
    response(status, mediaType, body, digitsOf) {
      const check = responses[findResponseKey(operation, status) ?? '']?.bodies.get(mediaType);
      if (check === undefined || body === undefined) fail(status, 'this body is not documented');
      const data = withDigits({ response: body }, digitsOf);
      const isShort = responseCheapBytes > UNLIMITED_BYTES || textLength(body) <= responseCheapBytes;
      const isValid = isShort ? check(data) : runWithin(TIME_LIMIT_MS, () => check(data));
      if (isValid !== true) fail(status, formatErrors(check.errors ?? []));
    },
    responseHeaders(status, headers, digitsOf) {
      const check = responses[findResponseKey(operation, status) ?? '']?.headers;
      if (check === undefined) return;
      const data = { response: headers, [DIGITS]: digitsOf };
      const isValid = (): boolean => check(data) === true;
      if (responseCheapBytes > UNLIMITED_BYTES ? isValid() : runWithin(TIME_LIMIT_MS, isValid)) return;
      fail(status, formatErrors(check.errors ?? []).replaceAll(/\bresponse\b/g, 'headers'));
    },
  };

  function fail(status: number, problem: string): never {
    throw new InvalidResponse(`${operation.method} ${operation.path} ${String(status)}: ${problem}`);
  }

  function findFailed(parts: RequestParts, data: object): readonly SchemaCheck[] {
    let failed = NONE;
    for (const check of checksOf(parts)) if (check(data) !== true) failed = [...failed, check];
    return failed;
  }

  function checksOf({ mediaType, isBodyUnchecked = false }: RequestParts): readonly SchemaCheck[] {
    if (isBodyUnchecked || (mediaType === undefined && operation.requestBody?.required !== true)) return withoutBody;
    const checks = withBody.get(mediaType ?? '');
    if (checks === undefined) throw new InvalidRequest('request must have a documented body');
    return checks;
  }

  function isCheap({ path, query, headers, cookies, bodyBytes = Infinity }: RequestParts): boolean {
    // The size of the parameters matters only if even the largest allowed headers might be expensive to validate.
    return requestCheapBytes >= 2 * UNLIMITED_BYTES
      ? bodyBytes <= UNLIMITED_BYTES
      : bodyBytes + textLength({ query, headers, path, cookies }) <= requestCheapBytes;
  }
}

/** Returns the values of a request in the form that the compiled schemas validate. */
function dataOf({ path: params, query, headers, cookies, body, digitsOf }: RequestParts) {
  return withDigits({ query, headers, params, cookies, body, [MISSING_DEFAULTS]: [] }, digitsOf);
}

/** Adds the source digits of numbers to the values of a message. Only the body may itself be a number. */
function withDigits<Data extends object>(data: Data, digitsOf: PartDigits | undefined): Data {
  if (digitsOf === undefined) return data;
  const find: DigitsOf = (holder, key) => digitsOf(holder === data ? undefined : holder, key);
  return Object.assign(data, { [DIGITS]: find });
}

function runWithinLimit<T>(call: () => T): T {
  try {
    return runWithin(TIME_LIMIT_MS, call);
  } catch (error) {
    if (!(error instanceof TimeLimitExceeded)) throw error;
    throw new InvalidRequest('request takes too long to validate: send a smaller body or shorter strings');
  }
}
