import type { ApiOperation } from './api-operation.ts';
import type { Case } from './case.ts';
import { documentedResponse, headerOf, type Check, type Exchange } from './conformance.ts';
import { isInAuthorization } from './credentials.ts';

// Rejections of the client or of the method, regardless of the data. A 403 may be about either.
const NOT_ABOUT_DATA = [401, 405];
// Rejections of a request that no other state of the server would accept.
const ABOUT_REQUEST = [...NOT_ABOUT_DATA, 400, 403, 406, 411, 413, 414, 415, 422, 429, 431];

/** Checks that invalid data is rejected with a 4xx. */
export const negativeDataRejection: Check = (exchange) => mustReject(exchange, 'invalid data');

/** Checks that a request without a required header is rejected with a 4xx. */
export const missingRequiredHeader: Check = (exchange) => mustReject(exchange, 'a request without a required header');

/**
 * Checks that valid data is accepted with a documented 2xx, or with a 3xx that is documented by its own status.
 *
 * A documented 4xx that is not about the request itself will do: with 404 or 409, the document says that there are states
 * in which valid data is refused, and only the server knows its state.
 */
export const positiveDataAcceptance: Check = ({ operation, testCase, response: { status }, expectedStatuses }) => {
  if (status >= 500) return undefined; // Reported by not_a_server_error.
  if (expectedStatuses.has(status)) return undefined;
  const outcome = `valid data${detailOf(testCase)} got status ${String(status)}`;
  if (documentedResponse(operation, status) === undefined) return `${outcome}, which is not documented`;
  if (status >= 200 && status < 300) return undefined;
  if (!describesSuccess(operation)) return undefined;
  if (status >= 300 && status < 400) return operation.responses[status] === undefined ? outcome : undefined;
  return status < 200 || ABOUT_REQUEST.includes(status) ? outcome : undefined;
};

/** Returns whether a document describes more than failures of an operation. */
export function describesSuccess({ responses }: ApiOperation): boolean {
  return Object.keys(responses).some((key) => /^[23]|^default$/.test(key));
}

/** Checks that an undocumented method gets 405 with the documented methods in `Allow` (RFC 9110, 15.5.6). */
export const unsupportedMethod: Check = ({ operation, testCase, response }) => {
  const { method } = testCase.request;
  if (response.status !== 405)
    return `the undocumented method ${method} got status ${String(response.status)} instead of 405`;
  const allow = headerOf(response, 'allow');
  if (allow === undefined) return 'the 405 response has no Allow header';
  const allowed = allow.split(',').map((name) => name.trim());
  const missing = operation.pathMethods.filter((name) => !allowed.includes(name));
  if (missing.length > 0) return `Allow is "${allow}", without ${missing.join(', ')}`;
  return allowed.includes(method) ? `Allow lists ${method}, which got 405` : undefined;
};

/** Checks that the response arrives within the time limit of the run, if there is one. */
export const maxResponseTime: Check = ({ response: { elapsedMs }, maxResponseTimeMs = Infinity }) =>
  elapsedMs > maxResponseTimeMs
    ? `the response took ${String(Math.ceil(elapsedMs))} ms, more than ${String(maxResponseTimeMs)} ms`
    : undefined;

/** Checks that a protected operation responds 401 with a challenge to invalid credentials (RFC 9110, 15.5.2). */
export const ignoredAuth: Check = ({ operation, testCase, response }) => {
  if (response.status !== 401)
    return `with ${testCase.description}, the status is ${String(response.status)} instead of 401`;
  const needsChallenge = operation.security.flat().some(isInAuthorization);
  return needsChallenge && headerOf(response, 'www-authenticate') === undefined
    ? 'the 401 response has no WWW-Authenticate header'
    : undefined;
};

/**
 * Checks that HEAD gets the status and the header fields of GET (RFC 9110, 9.3.2). A server without HEAD may respond 405,
 * although general-purpose servers must support it (9.1).
 */
export const headConformance: Check = ({ response, original }) => {
  const { status } = response;
  if (original === undefined || status === 405 || status >= 500) return undefined;
  if (status !== original.status) return `HEAD got status ${String(status)}, but GET got ${String(original.status)}`;
  const [type, typeOfGet] = [response, original].map((one) => headerOf(one, 'content-type'));
  if (type !== undefined && type !== typeOfGet)
    return `HEAD got Content-Type ${type}, but GET got ${typeOfGet ?? 'none'}`;
  // Other lengths may differ, as the resource may have changed.
  const isEmpty = headerOf(response, 'content-length') === '0' && original.body.length > 0;
  return isEmpty ? 'HEAD got Content-Length 0, but GET got a body' : undefined;
};

function detailOf({ description, kind }: Case): string {
  return description === kind ? '' : ` (${description})`;
}

function mustReject({ testCase, response: { status } }: Exchange, subject: string): string | undefined {
  if (status >= 500) return undefined; // Reported by not_a_server_error.
  const isRejected = status >= 400 && !NOT_ABOUT_DATA.includes(status);
  return isRejected ? undefined : `${subject}${detailOf(testCase)} got status ${String(status)}`;
}
