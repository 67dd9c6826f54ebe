import { CATEGORIES } from './defect.ts';
import type { Failure } from './failure.ts';

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
