import type { ApiOperation } from '@contract-first/model/operations';
import { collectionOf, identifyingMembers, type ItemPath, shapeOf } from '@contract-first/model/resources';
import { isStateCheck } from '../judgement/checks.ts';
import { Stopped } from '../run/exchange.ts';
import type { OperationCheck, OperationResult, Unjudged } from '../run/operation-result.ts';
import type { Run } from '../run/run.ts';
import type { Turn } from '../run/schedule.ts';
import { findFollowedPaths, mayIdentifyNew } from './followed-paths.ts';
import { createInstances } from './instances.ts';
import { createSequenceJudge, type SequenceJudge } from './judge.ts';
import { sendQuietly } from './known-values.ts';
import { runOtherUserSequence } from './other-user-sequence.ts';
import type { ResourceClient } from './resource-client.ts';
import { runItemSequence, runListedItemSequence } from './item-sequence.ts';
import { runSingletonSequence } from './singleton-sequence.ts';
import { createPlainInputs, type PlainInputs } from './step-input.ts';

// Avoids the values of other sequences.
const RENEWAL_OFFSET = 1_000_000;
// Beyond the renewals of a sequence. Sequences must not choose the same ids, or the same values of unique members.
const SEQUENCE_OFFSET = 100_000_000;

/** Creates a task that checks resources. */
type CreateCheck = (turn: Turn) => OperationCheck;

/**
 * Returns creators of tasks that check all resources that the operations can create and read, in groups to be run one
 * after the other: a PUT of a whole collection may remove the resources of other tasks.
 */
export function resourceChecks(operations: readonly ApiOperation[], run: Run): readonly (readonly CreateCheck[])[] {
  let sequences = 0;
  const isWanted = (isOtherUser: boolean): boolean =>
    [...run.checks].some((check) => isStateCheck(check) && (check === 'object_level_authorization') === isOtherUser);
  const users = [false, ...(run.users.otherTokens === undefined ? [] : [true])].filter(isWanted);
  const { items, singletons } = findFollowedPaths(operations, run);
  const collections = new Set(items.map(({ path }) => shapeOf(collectionOf(path))));
  const wholes = singletons.filter(({ path }) => collections.has(shapeOf(path)));
  const others = singletons.filter((item) => !wholes.includes(item));
  const together = users.flatMap((isOtherUser) =>
    [...items, ...(isOtherUser ? [] : others)].flatMap((item) => checksOf(item, isOtherUser)),
  );
  return [together, ...(users.includes(false) ? wholes.map((item) => checksOf(item, false)) : [])];

  function checksOf(item: ItemPath, isOtherUser: boolean): readonly CreateCheck[] {
    const { create = item.replace } = item;
    if (create === undefined || reasonNotToFollow(item, run, isOtherUser) !== undefined) return [];
    const offset = SEQUENCE_OFFSET * sequences;
    sequences += 1;
    return [(turn) => checkResource(item, create, { items, operations, run, turn, isOtherUser, offset })];
  }
}

/** Returns the resources that no sequence can follow. */
export function findUnfollowed(operations: readonly ApiOperation[], run: Run): readonly Unjudged[] {
  if (![...run.checks].some(isStateCheck)) return [];
  return findFollowedPaths(operations, run).items.flatMap((item) => {
    const { read, replace, patch, remove } = item;
    const operation = read ?? remove ?? replace ?? patch;
    const reason = reasonNotToFollow(item, run, false);
    if (operation === undefined || reason === undefined) return [];
    return [{ check: 'state' as const, operationId: operation.operationId, reason }];
  });
}

/** Returns why a sequence cannot follow the resources of a path; `undefined` if it can. */
function reasonNotToFollow(item: ItemPath, run: Run, isOtherUser: boolean): string | undefined {
  const { create, read, list, parameter, replace, remove, patch } = item;
  if (parameter === '') return read === undefined || replace === undefined ? 'a PUT or a GET is missing' : undefined;
  if (create === undefined) return 'no operation creates resources';
  if (!mayIdentifyNew(item, run)) return 'no response to a creation has the id';
  const isShown = read !== undefined || list !== undefined;
  const isJudged = isShown || (isOtherUser && (remove ?? replace ?? patch) !== undefined);
  return isJudged ? undefined : 'no operation reads or lists resources';
}

/**
 * Creates the check of the resources of a path: a sequence from creation to deletion, or a sequence in which a second
 * user tries to access them. The requests depend on the seed and the responses, not on time.
 *
 * @param operations the operations that the run may call
 * @param offset the seed offset of all generated values
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
    offset,
  }: {
    readonly items: readonly ItemPath[];
    readonly operations: readonly ApiOperation[];
    readonly run: Run;
    readonly turn: Turn;
    readonly isOtherUser: boolean;
    readonly offset: number;
  },
): OperationCheck {
  const judge = createSequenceJudge(run, turn);
  const plainInputs = createPlainInputs(run);
  const isSingleton = item.parameter === '';
  let renewals = 0;
  const clientOf = (one: SequenceJudge, renewalOffset = 0): ResourceClient => {
    const inputs: PlainInputs = (of, variant) => plainInputs(of, variant + offset + renewalOffset);
    const instances = createInstances(items, operations, run, inputs);
    const idMembers = isSingleton ? [] : identifyingMembers(item, operations);
    const renew = (): ResourceClient =>
      clientOf(createSequenceJudge({ ...run, onFailure: () => undefined }, turn), RENEWAL_OFFSET * (renewals += 1));
    return {
      item,
      items,
      operations,
      idMembers,
      run,
      judge: one,
      instances,
      plainInputs: inputs,
      renew,
      moved: new Map(),
    };
  };
  const unjudged: Omit<Unjudged, 'operationId'>[] = [];
  let isOver = false;
  return { operation, run: check, hasMinimum: () => isOver, result };

  async function check(): Promise<void> {
    try {
      const client = clientOf(judge);
      const sendAsOther = sendQuietly(run, turn, run.users.otherTokens);
      const runItem = item.read === undefined ? runListedItemSequence : runItemSequence;
      const runOwn = isSingleton ? runSingletonSequence : runItem;
      const outcome = isOtherUser
        ? await runOtherUserSequence(client, clientOf({ ...judge, send: sendAsOther }))
        : await runOwn(client);
      if (outcome === 'stateless') unjudged.push({ check: 'state', reason: 'reads of unknown ids succeed' });
      else if (outcome !== undefined)
        unjudged.push({ check: isOtherUser ? 'object_level_authorization' : 'state', reason: outcome.reason });
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      unjudged.push({ check: 'state', reason: error.message });
    }
    isOver = true;
  }

  function result(): OperationResult {
    const { checked, successful, skipped } = judge;
    const { operationId } = operation;
    return {
      failures: judge.failures(),
      checked,
      isNotImplemented: false,
      notes: [],
      unjudged: [...unjudged, ...skipped].map((one) => ({ ...one, operationId })),
      successful,
      failureNote: undefined,
      validStatuses: new Set(),
    };
  }
}
