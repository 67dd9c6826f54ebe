import { findResponseKey, type WithResponses } from './operation.ts';

/** Statuses with the same meaning. An exact key of one precedes a range or `default` of the other. */
const EQUIVALENT: Readonly<Record<number, number>> = { 400: 422, 422: 400 };

/** The statuses that replace an undocumented status, in order of preference. */
const SUBSTITUTES: Readonly<Record<number, readonly number[]>> = {
  401: [403],
  403: [401, 404],
  409: [503],
  413: [400, 422],
  415: [400, 422],
  429: [503],
  503: [500],
};

/**
 * Returns the status that the document has for a failure of the engine.
 *
 * @param status the status that the failure has without a document
 * @param isInPath whether nothing but path parameters is invalid, so that the resource cannot exist
 */
export function failureStatusOf(operation: WithResponses, status: number, isInPath = false): number {
  const isExact = (other: number): boolean => operation.responses[String(other)] !== undefined;
  const equivalent = EQUIVALENT[status];
  if (!isExact(status) && equivalent !== undefined && isExact(equivalent)) return equivalent;
  if (findResponseKey(operation, status) !== undefined) return status;
  const substitutes = isInPath ? [404] : (SUBSTITUTES[status] ?? []);
  return substitutes.find(isExact) ?? status;
}
