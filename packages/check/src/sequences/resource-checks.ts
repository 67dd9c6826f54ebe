import type { ApiOperation } from '@contract-first/model/operations';
import { identifyingMembers, type ItemPath } from '@contract-first/model/resources';
import { isStateCheck } from '../judgement/checks.ts';
import { nameOperations } from '../judgement/failures.ts';
import { ServerGone } from '../run/exchange.ts';
import type { OperationCheck, OperationResult } from '../run/operation-result.ts';
import type { Run } from '../run/run.ts';
import type { Turn } from '../run/schedule.ts';
import { findFollowedPaths, returnsId } from './followed-paths.ts';
import { createInstances } from './instances.ts';
import { createJudge, type Judge } from './judge.ts';
import { sendQuietly } from './known-values.ts';
import { runOtherUserSequence } from './other-user-sequence.ts';
import type { ResourceClient } from './resource-client.ts';
import { runItemSequence, runListedItemSequence } from './item-sequence.ts';
import { runSingletonSequence } from './singleton-sequence.ts';
import { createPlainInputs, type PlainInputs } from './step-input.ts';

// Avoids the values of other sequences.
const RENEWAL_OFFSET = 1_000_000;

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
      const { create = item.replace } = item;
      if (create === undefined || reasonNotToFollow(item, run, isOtherUser) !== undefined) return [];
      return [(turn: Turn) => checkResource(item, create, { items, operations, run, turn, isOtherUser })];
    }),
  );
}

/** Returns notes about the resources that no sequence can follow. */
export function describeUnfollowed(operations: readonly ApiOperation[], run: Run): readonly string[] {
  if (![...run.checks].some(isStateCheck)) return [];
  const found = findFollowedPaths(operations, run).items.flatMap((item) => {
    const { read, replace, patch, remove } = item;
    const operation = read ?? remove ?? replace ?? patch;
    const reason = reasonNotToFollow(item, run, false);
    return operation === undefined || reason === undefined ? [] : [{ id: operation.operationId, reason }];
  });
  return [...Map.groupBy(found, ({ reason }) => reason)].map(
    ([reason, group]) => `${nameOperations(group.map(({ id }) => id))}: its resources were not followed: ${reason}`,
  );
}

/** Returns why a sequence cannot follow the resources of a path; `undefined` if it can. */
function reasonNotToFollow(item: ItemPath, run: Run, isOtherUser: boolean): string | undefined {
  const { create, read, list, parameter, replace, remove, patch } = item;
  if (parameter === '') return read === undefined || replace === undefined ? 'a PUT or a GET is missing' : undefined;
  if (create === undefined) return 'no operation creates them';
  if (!returnsId(item, run)) return 'no response to their creation has their id';
  const isShown = read !== undefined || list !== undefined;
  const isJudged = isShown || (isOtherUser && (remove ?? replace ?? patch) !== undefined);
  return isJudged ? undefined : 'no operation reads or lists them';
}

/** Returns a note about stateless resources; `undefined` if there are none. */
export function describeStateless(checks: readonly ResourceCheck[]): string | undefined {
  const ids = new Set(checks.filter((check) => check.isStateless()).map(({ operation }) => operation.operationId));
  if (ids.size === 0) return undefined;
  return `state was not judged, as reads of unknown ids succeed: the resources of ${[...ids].join(', ')}`;
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
  let renewals = 0;
  const clientOf = (one: Judge, offset = 0): ResourceClient => {
    const inputs: PlainInputs = (of, variant) => plainInputs(of, variant + offset);
    const instances = createInstances(items, operations, run, inputs);
    const idMembers = isSingleton ? [] : identifyingMembers(item, operations);
    const renew = (): ResourceClient =>
      clientOf(createJudge({ ...run, onFailure: () => undefined }, turn), RENEWAL_OFFSET * (renewals += 1));
    return {
      ...{ item, items, operations, idMembers, run, judge: one, instances, plainInputs: inputs, renew },
      moved: new Map(),
    };
  };
  const notes: string[] = [];
  let isOver = false;
  let isStateless = false;
  return { operation, run: check, hasMinimum: () => isOver, result, isStateless: () => isStateless };

  async function check(): Promise<void> {
    try {
      const client = clientOf(judge);
      const sendAsOther = sendQuietly(run, turn, run.users.otherTokens);
      const runItem = item.read === undefined ? runListedItemSequence : runItemSequence;
      const runOwn = isSingleton ? runSingletonSequence : runItem;
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
      notes: [...notes, ...judge.notes],
      successful,
      failureNote: undefined,
      validStatuses: new Set(),
    };
  }
}
