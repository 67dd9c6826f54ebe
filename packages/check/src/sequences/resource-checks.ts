import type { ApiOperation } from '@contract-first/model/operations';
import { identifyingMembers, type ItemPath } from '@contract-first/model/resources';
import { isStateCheck } from '../judgement/checks.ts';
import { ServerGone } from '../run/exchange.ts';
import type { OperationCheck, OperationResult } from '../run/operation-result.ts';
import type { Run } from '../run/run.ts';
import type { Turn } from '../run/schedule.ts';
import { findFollowedPaths, isTold } from './followed-paths.ts';
import { createInstances } from './instances.ts';
import { createJudge, type Judge } from './judge.ts';
import { sendQuietly } from './known-values.ts';
import { runOtherUserSequence } from './other-user-sequence.ts';
import type { ResourceClient } from './resource-client.ts';
import { runItemSequence } from './item-sequence.ts';
import { runSingletonSequence } from './singleton-sequence.ts';
import { createPlainInputs } from './step-input.ts';

/** Returns creators of tasks that check all resources that the operations can create and read. */
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

/** Returns a note about stateless resources; `undefined` if there are none. */
export function describeStateless(checks: readonly ResourceCheck[]): string | undefined {
  const ids = checks.filter((check) => check.isStateless()).map(({ operation }) => operation.operationId);
  if (ids.length === 0) return undefined;
  return `state was not judged, as reads of what never existed succeed: the resources of ${ids.join(', ')}`;
}

/** A task that checks the resources of a path. */
type ResourceCheck = OperationCheck & {
  /** Returns whether reads of resources that never existed succeed, so that state cannot be judged. */
  readonly isStateless: () => boolean;
};

/**
 * Creates the check of the resources of a path: a sequence from creation to deletion, or a sequence in which a second
 * user tries to access them. The requests depend on the seed and the responses, not on time.
 *
 * @param operations the operations that the run may call
 */
function checkResource(
  item: ItemPath,
  operation: ApiOperation,
  {
    items,
    operations,
    run,
    turn,
    isOtherUser,
  }: {
    readonly items: readonly ItemPath[];
    readonly operations: readonly ApiOperation[];
    readonly run: Run;
    readonly turn: Turn;
    readonly isOtherUser: boolean;
  },
): ResourceCheck {
  const judge = createJudge(run, turn);
  const plainInputs = createPlainInputs(run);
  const isSingleton = item.parameter === '';
  const clientOf = (one: Judge): ResourceClient => {
    const instances = createInstances(items, operations, run, plainInputs);
    const idMembers = isSingleton ? [] : identifyingMembers(item, operations);
    return { item, items, idMembers, run, judge: one, instances, plainInputs };
  };
  const notes: string[] = [];
  let isOver = false;
  let isStateless = false;
  return { operation, run: check, hasMinimum: () => isOver, result, isStateless: () => isStateless };

  async function check(): Promise<void> {
    try {
      const client = clientOf(judge);
      const sendAsOther = sendQuietly(run, turn, run.users.otherTokens);
      const runOwn = isSingleton ? runSingletonSequence : runItemSequence;
      const outcome = isOtherUser
        ? await runOtherUserSequence(client, clientOf({ ...judge, send: sendAsOther }))
        : await runOwn(client);
      isStateless = outcome === 'stateless';
      if (typeof outcome === 'object')
        notes.push(
          `${isOtherUser ? 'other users were not judged' : 'its resources were not followed'}: ${outcome.reason}`,
        );
    } catch (error) {
      if (!(error instanceof ServerGone)) throw error;
    }
    isOver = true;
  }

  function result(): OperationResult {
    const { checked, successful } = judge;
    return {
      failures: judge.failures(),
      checked,
      isNotImplemented: false,
      notes,
      successful,
      failureNote: undefined,
      validStatuses: new Set(),
    };
  }
}
