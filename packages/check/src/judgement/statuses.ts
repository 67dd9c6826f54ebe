import type { ApiOperation } from '@contract-first/model/operations';

/** The server processes the request later (RFC 9110, 15.3.3), so its effect cannot be checked now. */
const ACCEPTED = 202;

/** The status of operations that the server does not have yet. */
export const NOT_IMPLEMENTED = 501;

const SEE_OTHER = 303;
const INSUFFICIENT_STORAGE = 507;

/** The statuses for resources that do not exist. */
export const MISSING: readonly number[] = [404, 410];

/** Returns whether an operation documents a status, exactly or by a range such as `4XX`. */
export function describesStatus({ responses }: ApiOperation, status: number): boolean {
  return Object.keys(responses).some((key) => key === String(status) || isRangeOf(key, status));
}

/**
 * Returns whether a status is a failure of the server. A documented 507 is none, since it means that the client has used
 * its storage (RFC 4918, 11.5).
 */
export function isServerError({ responses }: ApiOperation, status: number): boolean {
  return status >= 500 && !(status === INSUFFICIENT_STORAGE && responses[status] !== undefined);
}

/** Returns whether the effect of an operation may be delayed. */
export function isAsynchronous({ responses }: ApiOperation): boolean {
  return responses[ACCEPTED] !== undefined;
}

/** Returns whether a status is a 2xx. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Returns whether a request was carried out: a 2xx, or a 303, whose Location has the result (RFC 9110, 15.4.4). */
export function isCarriedOut(status: number): boolean {
  return isSuccess(status) || status === SEE_OTHER;
}

function isRangeOf(key: string, status: number): boolean {
  return key.toUpperCase() === `${String(status).charAt(0)}XX`;
}
