import { finding, type Finding, type Level, type FindingContext } from './finding.ts';
import { isTrue, textAt, type NodePair, type Node } from '../nodes/node.ts';

/** Compares `deprecated` and `x-sunset` (a date, `2026-12-31`) of an operation. */
export function compareOperationDeprecation(scope: FindingContext, { base, revision }: NodePair): readonly Finding[] {
  const found = (rule: string, level: Level, change: string) => [finding(scope, rule, level, revision, change)];
  const isDeprecated = isTrue(revision, 'deprecated');
  if (isTrue(base, 'deprecated') !== isDeprecated) {
    if (!isDeprecated) return found('endpoint-reactivated', 'INFO', 'is no longer deprecated');
    const sunset = sunsetOf(revision);
    return sunset === undefined
      ? found('endpoint-deprecated', 'INFO', 'is deprecated')
      : found('endpoint-deprecated-with-sunset', 'INFO', `is deprecated, with sunset on ${sunset}`);
  }
  const problem = findSunsetProblem({ base, revision });
  if (problem === undefined) return [];
  // Uses oasdiff's prefix of the rule names.
  const prefix = problem.aspect === 'sunset-deleted' ? '' : 'api-';
  return found(`${prefix}${problem.aspect}`, 'ERR', problem.change);
}

/**
 * Reports the removal of an operation. It is not an error if the operation was deprecated and its sunset, if any,
 * passed.
 */
export function reportRemoval(scope: FindingContext, node: Node, wholePath: boolean): Finding {
  const prefix = wholePath ? 'api-path' : 'api';
  const found = (aspect: string, level: Level, change: string): Finding =>
    finding(scope, `${prefix}-removed-${aspect}`, level, node, change);
  if (!isTrue(node, 'deprecated')) return found('without-deprecation', 'ERR', 'was removed without deprecation');
  const early = findEarlyRemoval(node, scope.today);
  if (early !== undefined) return found('before-sunset', 'ERR', early);
  return found('with-deprecation', 'INFO', 'was removed after deprecation');
}

/**
 * Compares the sunsets of a deprecated operation, parameter or property, on which clients rely.
 *
 * @returns the suffix of the rule name and the change; `undefined` if clients have at least as much time as before
 */
export function findSunsetProblem({ base, revision }: NodePair): { aspect: string; change: string } | undefined {
  const [before, after] = [sunsetOf(base), sunsetOf(revision)];
  if (before === undefined || !isTrue(base, 'deprecated') || !isTrue(revision, 'deprecated')) return undefined;
  if (after === undefined) return { aspect: 'sunset-deleted', change: `lost its sunset ${before}` };
  if (after >= before) return undefined;
  return { aspect: 'sunset-date-changed-too-small', change: `has the sunset ${after}, not ${before}` };
}

/**
 * Describes the removal of a deprecated part before its sunset.
 *
 * @returns `undefined` if the part is not deprecated, has no sunset, or the sunset has passed
 */
export function findEarlyRemoval(part: Node, today: string): string | undefined {
  const sunset = sunsetOf(part);
  const isEarly = isTrue(part, 'deprecated') && sunset !== undefined && today < sunset;
  return isEarly ? `was removed before its sunset on ${sunset}` : undefined;
}

/** Returns the date after which a deprecated part may be removed: `2026-12-31`. */
function sunsetOf(part: Node): string | undefined {
  return textAt(part, 'x-sunset')?.slice(0, '2026-12-31'.length);
}
