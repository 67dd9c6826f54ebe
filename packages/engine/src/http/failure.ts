import { createViolation, type Violation } from '@contract-first/contract';

/** The header of failures after which the client should retry: the seconds to wait before. */
export const RETRY_AFTER = { 'retry-after': '1' };

/** Ends a request with an error response: its status, message and headers. */
export class Failure extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The violations in the parameters and the body. */
  readonly violations: readonly Violation[];
  /** The reason for the log. */
  readonly reason: string;

  /**
   * @param message is sent to the client: for a 4xx, it says how to fix the request; for a 5xx, it is a fixed text
   * @param reason is logged; by default, the message
   */
  constructor(
    status: number,
    message: string,
    headers: Failure['headers'] = {},
    violations: readonly Violation[] = [],
    reason = message,
  ) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.violations = violations;
    this.reason = reason;
  }
}

/** Returns the 405 for a path that is documented with other methods only (RFC 9110, 15.5.6). */
export function methodFailure(allow: string): Failure {
  return new Failure(405, `this path allows only ${allow}`, { allow });
}

/**
 * Returns the 400 for a part of a request that cannot be read.
 *
 * @param place the part, as in violations
 * @param message continues a sentence that begins with the subject: `must be number`
 * @param subject names the part in the message of the failure
 */
export function malformedFailure(place: string, message: string, subject = place): Failure {
  const violation = createViolation(place, message, subject);
  return new Failure(400, violation.text, {}, [violation]);
}

/** Returns the 500 for any internal error. Its text is fixed, so it leaks no cause. */
export function unexpectedFailure(): Failure {
  return new Failure(500, 'The service failed to answer this request');
}

/** Returns the 503 for an overload or an unavailable dependency (RFC 9110, 15.6.4 and 10.2.3). */
export function unavailableFailure(): Failure {
  return new Failure(503, 'The service cannot answer this request now; try again', RETRY_AFTER);
}
