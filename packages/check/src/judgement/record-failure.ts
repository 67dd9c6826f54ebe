import type { KeptResponse } from '@contract-first/model/requests';
import { keyOf, type Violation } from './checks.ts';

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
