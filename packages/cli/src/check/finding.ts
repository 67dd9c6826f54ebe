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
  const groups = Map.groupBy(failures, ({ check, cause, category }) => JSON.stringify([check, cause, category]));
  const findings = [...groups.values()].flatMap((group): Finding[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { check, cause, category } = first;
    return [{ check, cause, category, first, operationIds: group.map(({ operationId }) => operationId) }];
  });
  const rankOf = ({ category }: Finding): number => CATEGORIES.indexOf(category);
  return findings.sort((one, other) => rankOf(one) - rankOf(other));
}

/** Names operations in a few words. */
export function nameOperations([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  return `${first} and ${String(others.length)} other operation${others.length === 1 ? '' : 's'}`;
}
