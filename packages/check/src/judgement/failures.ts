import type { Excerpt, KeptResponse, WireRequest } from '@contract-first/model/requests';
import { keyOf, type Violation } from './checks.ts';
import { CATEGORIES } from './defect.ts';

/** The failures of one cause, one for each operation. */
export type Finding = Pick<Failure, 'check' | 'cause' | 'category'> & {
  /** The failure whose evidence is shown. */
  readonly first: Failure;
  readonly operationIds: readonly string[];
};

/** Groups failures by their check and cause, worst first. */
export function groupByCause(failures: readonly Failure[]): readonly Finding[] {
  const rankOf = ({ category }: Pick<Failure, 'category'>): number => CATEGORIES.indexOf(category);
  const sorted = failures.toSorted((one, other) => rankOf(one) - rankOf(other));
  const groups = Map.groupBy(sorted, ({ check, cause }) => JSON.stringify([check, cause]));
  return [...groups.values()].flatMap((group): Finding[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { check, cause, category } = first;
    return [{ check, cause, category, first, operationIds: group.map(({ operationId }) => operationId) }];
  });
}

/** Names operations in a few words. */
export function nameOperations([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  return `${first} and ${String(others.length)} other operation${others.length === 1 ? '' : 's'}`;
}

/** A failed check with the simplest failing request that was found, and its response. */
export type Failure = Violation & {
  readonly operationId: string;
  readonly request: WireRequest;
  /** `undefined` when none arrived as a whole. */
  readonly response: KeptResponse | undefined;
  /** The bytes of a response that did not arrive as a whole. */
  readonly received: Excerpt;
  /** The status of the same request when it was repeated and passed; `undefined` when it failed again. */
  readonly passedWith: number | undefined;
  /** The requests before, of a sequence. */
  readonly earlier?: readonly { readonly request: WireRequest; readonly response: KeptResponse }[];
  /** The operations that the requests of a sequence need. */
  readonly operationIds?: readonly string[];
  /** Where a recorded request is, and the variables that stand for its credentials. */
  readonly recorded?: { readonly place: string; readonly variables: readonly string[] };
};

type Entry = { readonly failure: Violation & { readonly response: KeptResponse | undefined } };

/** The recorded causes of a check: a server without any validation has one for each keyword. */
const MAX_CAUSES = 5;

/**
 * Records a failure of an operation, unless it is known, or another one explains it. Removes failures that it explains.
 *
 * @param recorded the failures of the operation by {@link keyOf}
 * @returns whether it is recorded
 */
export function recordFailure<Recorded extends Entry>(recorded: Map<string, Recorded>, entry: Recorded): boolean {
  const { failure } = entry;
  const key = keyOf(failure);
  const known = recorded.get(key)?.failure;
  // A failure in the usual spelling, too, is not about the protocol.
  const isWorse = known?.category === 'protocol' && failure.category !== 'protocol';
  const ofCheck = [...recorded].filter(([name, other]) => other.failure.check === failure.check && name !== key);
  const others = ofCheck.filter(([, other]) => other.failure.response?.status === failure.response?.status);
  const isExplained = others.some(([, other]) => explains(other.failure, failure));
  if ((known !== undefined && !isWorse) || isExplained) return false;
  const explained = others.filter(([, other]) => explains(failure, other.failure));
  for (const [name] of explained) recorded.delete(name);
  if (ofCheck.length - explained.length >= MAX_CAUSES) return false;
  recorded.set(key, entry);
  return true;
}

/** Whether a failure happens under some of the circumstances of another one only. */
function explains({ circumstances: few }: Violation, { circumstances: more }: Violation): boolean {
  return few.length < more.length && few.every((one) => more.includes(one));
}
