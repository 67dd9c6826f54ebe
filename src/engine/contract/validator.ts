import { augmentAjvErrors } from 'express-openapi-validator/dist/middlewares/util.js';
import { textLength } from './check-cost.ts';
import { formatProblems } from './format-problems.ts';
import { findResponse, type Operation } from './operation.ts';
import type { Check, CompiledSchemas } from './schema-compiler.ts';
import { HEADERS_MEDIA_TYPE, sliceMediaType } from './slice-document.ts';
import { runWithin, TimeLimitExceeded } from './time-limit.ts';

/** The values of a request. The validator sets defaults of the schema in place. */
export type RequestParts = {
  readonly path: object;
  readonly query: object;
  /** By name in lower case. */
  readonly headers: object;
  readonly cookies: object;
  /** The documented media type of the body. */
  readonly mediaType: string | undefined;
  readonly body: unknown;
  readonly bodyBytes?: number;
};

// Most valid bodies of 1 MiB take a tenth of this time.
const TIME_LIMIT_MS = 200;
const UNLIMITED_BYTES = 16_384; // Larger bodies always have a time limit.
const MAX_PROBLEMS = 10;

/** Validates the requests and responses of one operation against the document. */
export type OperationValidator = {
  /** @throws {InvalidRequest} when the request does not conform */
  readonly request: (parts: RequestParts) => void;
  /** Validates a JSON or text body. @throws {InvalidResponse} when the response does not conform */
  readonly response: (status: number, mediaType: string, body: unknown) => void;
  /** Validates the headers of a response, by name in lower case. @throws {InvalidResponse} when they do not conform */
  readonly responseHeaders: (status: number, headers: object) => void;
};

/** The request does not conform to the document; the message tells the client how to fix it. */
export class InvalidRequest extends Error {}

/** The response does not conform to the document, and must not be sent. */
export class InvalidResponse extends Error {}

/** Creates the validator of an operation from its compiled schemas. */
export function createValidator(
  operation: Operation,
  { requests, requestCheapBytes, responses, responseCheapBytes }: CompiledSchemas,
): OperationValidator {
  return {
    request({ path: params, query, headers, cookies, mediaType, body, bodyBytes = Infinity }) {
      const data = { query, headers, params, cookies, body };
      const checks = requests.get(mediaType);
      if (checks === undefined) throw new InvalidRequest('request must have a documented body');
      const findFailed = (): readonly Check[] => checks.filter((check) => check(data) !== true);
      // Parameters count only where a header full of them may not be cheap.
      const isCheap =
        requestCheapBytes >= 2 * UNLIMITED_BYTES
          ? bodyBytes <= UNLIMITED_BYTES
          : bodyBytes + textLength({ query, headers, params, cookies }) <= requestCheapBytes;
      const failed = isCheap ? findFailed() : runWithinLimit(findFailed);
      if (failed.length > 0) throw new InvalidRequest(formatErrors(failed));
    },
    response(status, mediaType, body) {
      const [key = ''] = findResponse(operation, status) ?? [];
      const check = responses[key]?.[sliceMediaType(mediaType)];
      const isDocumented = check !== undefined && body !== undefined;
      const isValid = (): boolean => isDocumented && check({ response: body }) === true;
      const isCheap = responseCheapBytes > UNLIMITED_BYTES || textLength(body) <= responseCheapBytes;
      if (isCheap ? isValid() : runWithin(TIME_LIMIT_MS, isValid)) return;
      const problem = isDocumented ? formatErrors([check]) : 'this body is not documented';
      throw new InvalidResponse(`${operation.method} ${operation.path} ${String(status)}: ${problem}`);
    },
    responseHeaders(status, headers) {
      const [key = ''] = findResponse(operation, status) ?? [];
      const check = responses[key]?.[HEADERS_MEDIA_TYPE];
      if (check === undefined) return;
      const isValid = (): boolean => check({ response: headers }) === true;
      if (responseCheapBytes > UNLIMITED_BYTES ? isValid() : runWithin(TIME_LIMIT_MS, isValid)) return;
      const problem = formatErrors([check]).replaceAll(/\bresponse\b/g, 'headers');
      throw new InvalidResponse(`${operation.method} ${operation.path} ${String(status)}: ${problem}`);
    },
  };
}

function runWithinLimit<T>(call: () => T): T {
  try {
    return runWithin(TIME_LIMIT_MS, call);
  } catch (error) {
    if (!(error instanceof TimeLimitExceeded)) throw error;
    throw new InvalidRequest('request takes too long to validate: send a smaller body or shorter strings');
  }
}

function formatErrors(failed: readonly Check[]): string {
  const errors = failed.flatMap(({ errors: found }) => found ?? []);
  // Ajv reports a condition after the problems that it leads to.
  return formatProblems(augmentAjvErrors(errors.filter(({ keyword }) => keyword !== 'if').slice(0, MAX_PROBLEMS)));
}
