import { type Excerpt, type KeptResponse, UNAVAILABLE, type WireRequest } from '@contract-first/model/requests';
import { isUnusualValue } from './behaviour.ts';
import { keyOf, type FailedCheck } from './checks.ts';
import { TIMED_OUT } from './conformance.ts';
import { CATEGORIES } from './defect.ts';

/** Failures with the same check and cause, one per operation. */
export type FailureGroup = Pick<CheckFailure, 'check' | 'cause' | 'category'> & {
  /** The failure whose evidence is shown. */
  readonly first: CheckFailure;
  readonly operationIds: readonly string[];
};

/** Groups failures by check and cause, worst category first. */
export function groupByCause(failures: readonly CheckFailure[]): readonly FailureGroup[] {
  const rankOf = ({ category }: Pick<CheckFailure, 'category'>): number => CATEGORIES.indexOf(category);
  const sorted = failures.toSorted((one, other) => rankOf(one) - rankOf(other));
  const groups = Map.groupBy(sorted, ({ check, cause }) => JSON.stringify([check, cause]));
  return [...groups.values()].flatMap((group): FailureGroup[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { check, cause, category } = first;
    return [{ check, cause, category, first, operationIds: group.map(({ operationId }) => operationId) }];
  });
}

/** Names the first operation and the number of others. */
export function nameOperations([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  return `${first} and ${String(others.length)} other operation${others.length === 1 ? '' : 's'}`;
}

/** A failed check with its simplest known request and the response. */
export type CheckFailure = FailedCheck & {
  readonly operationId: string;
  readonly request: WireRequest;
  /** `undefined` when no complete response arrived. */
  readonly response: KeptResponse | undefined;
  /** The received part of an incomplete response. */
  readonly received: Excerpt;
  /** The status of the repeated request if it passed; `undefined` if it failed again. */
  readonly passedWith: number | undefined;
  /** The earlier requests of the sequence. */
  readonly earlier?: readonly { readonly request: WireRequest; readonly response: KeptResponse }[];
  /** The operations of all requests in the sequence. */
  readonly operationIds?: readonly string[];
  /** The place of a recorded request, and the variables that replace its credentials. */
  readonly recorded?: { readonly place: string; readonly variables: readonly string[] };
};

type Judged = FailedCheck & { readonly response: KeptResponse | undefined };
type Entry = { readonly failure: Judged };

/** The maximum number of causes per check and category. A server without validation has a cause for each schema keyword. */
const MAX_CAUSES = 5;

/**
 * Records a failure of an operation, unless it is known or a recorded failure explains it. Removes recorded failures
 * that the new failure explains.
 *
 * @param recorded the failures of the operation by {@link keyOf}
 * @returns whether the failure was recorded
 */
export function recordFailure<Recorded extends Entry>(recorded: Map<string, Recorded>, entry: Recorded): boolean {
  const { failure } = entry;
  const key = keyOf(failure);
  const known = recorded.get(key)?.failure;
  // If the usual spelling fails too, the failure does not belong to the category protocol.
  const isWorse = known?.category === 'protocol' && failure.category !== 'protocol';
  const ofCheck = [...recorded].filter(([name, other]) => other.failure.check === failure.check && name !== key);
  const isExplained = ofCheck.some(
    ([, { failure: other }]) =>
      explains(other, failure) || (sharesUnusualValue(other, failure) && !explains(failure, other)),
  );
  if ((known !== undefined && !isWorse) || isExplained) return false;
  const explained = ofCheck.filter(([, other]) => explains(failure, other.failure));
  for (const [name] of explained) recorded.delete(name);
  const kept = ofCheck.filter((one) => !explained.includes(one));
  if (kept.filter(([, other]) => other.failure.category === failure.category).length >= MAX_CAUSES) return false;
  recorded.set(key, entry);
  return true;
}

/** Returns whether two failures with one status have an unusual value in common, which is then their likely cause. */
function sharesUnusualValue(one: Judged, other: Judged): boolean {
  const isShared = (value: string): boolean => isUnusualValue(value) && other.circumstances.includes(value);
  return one.response?.status === other.response?.status && one.circumstances.some(isShared);
}

/** Returns whether a failure explains another failure of the same check. */
export function hasCauseOf(one: Judged, other: Judged): boolean {
  return one.check === other.check && explains(one, other);
}

/**
 * Returns whether a failure has a proper subset of the other failure's circumstances, and the same status. A 5xx for
 * plain valid data also explains a time-out: the operation fails in several ways.
 */
function explains(one: Judged, other: Judged): boolean {
  const [few, more] = [one.circumstances, other.circumstances];
  const isBroken = one.response !== undefined && one.response.status !== UNAVAILABLE && more.includes(TIMED_OUT);
  const isComparable = isBroken || one.response?.status === other.response?.status;
  return isComparable && few.length < more.length && few.every((circumstance) => more.includes(circumstance));
}
