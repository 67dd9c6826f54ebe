import type { ApiOperation } from '@contract-first/model/operations';
import { isStateCheck } from '../judgement/checks.ts';
import type { Run } from '../run/run.ts';
import type { Turn } from '../run/schedule.ts';
import { checkResource, type ResourceCheck } from './check-resource.ts';
import { findFollowedPaths, isTold } from './followed-paths.ts';

/** Returns the checks of all resources that the operations can create and read, as tasks to be started. */
export function resourceChecks(
  operations: readonly ApiOperation[],
  run: Run,
): readonly ((turn: Turn) => ResourceCheck)[] {
  const isWanted = (isOtherUser: boolean): boolean =>
    [...run.checks].some((check) => isStateCheck(check) && (check === 'object_level_authorization') === isOtherUser);
  const users = [false, ...(run.users.otherTokens === undefined ? [] : [true])].filter(isWanted);
  const { items, singletons } = findFollowedPaths(operations, run);
  return users.flatMap((isOtherUser) =>
    [...items, ...(isOtherUser ? [] : singletons)].flatMap((item) => {
      const { create = item.replace, read, parameter } = item;
      if (create === undefined || read === undefined || (parameter !== '' && !isTold(item, run))) return [];
      return [(turn: Turn) => checkResource(item, create, { items, operations, run, turn, isOtherUser })];
    }),
  );
}

/** Returns a note about the resources without state; `undefined` when there are none. */
export function describeStateless(checks: readonly ResourceCheck[]): string | undefined {
  const ids = checks.filter((check) => check.isStateless()).map(({ operation }) => operation.operationId);
  if (ids.length === 0) return undefined;
  return `state was not judged, as reads of what never existed succeed: the resources of ${ids.join(', ')}`;
}
