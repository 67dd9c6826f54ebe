import { InvalidRequest } from '@contract-first/contract';
import { unavailableFailure } from '../failure.ts';
import { findNullCharacters } from './null-characters.ts';
import type { ValidRequest } from './validate-request.ts';

/** Recognises the errors of the application's database. */
export type DatabaseErrors = {
  /** Returns whether an error means that the database is unavailable for now. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Returns whether an error means that the database cannot store a string with U+0000. */
  readonly isTextNotStorable: (error: unknown) => boolean;
};

/**
 * Throws the failure for an error of the database. Does nothing for other errors.
 *
 * @throws {Failure} 503 when the database is unavailable for now
 * @throws {InvalidRequest} when the database rejected a string with U+0000 from the request
 */
export function throwDatabaseFailure(
  error: unknown,
  request: ValidRequest,
  { isUnavailable, isTextNotStorable }: DatabaseErrors,
): void {
  if (isUnavailable(error)) throw unavailableFailure();
  const violations = isTextNotStorable(error) ? findNullCharacters(request) : [];
  if (violations.length > 0) throw new InvalidRequest(violations);
}
