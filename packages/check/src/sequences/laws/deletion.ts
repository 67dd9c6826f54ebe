import { stringifyJson } from '@contract-first/contract';
import type { ApiOperation } from '@contract-first/model/operations';
import { type Json, membersOf, partAt } from '@contract-first/model/values';
import { idText } from '@contract-first/model/resources';
import {
  currentId,
  MAY_BE_DELAYED,
  responseEtag,
  isConditional,
  isSuccessfulStep,
  otherTag,
  readListWhen,
  STALE_IS_ACCEPTED,
  SEED_OFFSET,
  sendTo,
  type Id,
  type ResourceClient,
} from '../resource-client.ts';
import { mayCreate } from '../followed-paths.ts';
import { findId, type Listing } from '../list-all.ts';
import type { SequenceStep } from '../sequence-step.ts';
import { observeState } from '../resource-state.ts';
import { describesStatus, isAsynchronous, isSuccess, MISSING } from '../../judgement/statuses.ts';

const STILL_LISTED = 'the list still has the deleted resource';

/**
 * Deletes a resource. Expects that it can no longer be read, listed or replaced, and that a second DELETE has no
 * effect.
 *
 * @param missing the statuses of reads of unknown ids
 */
export async function checkDeletion(client: ResourceClient, id: Id, missing: readonly number[]): Promise<void> {
  const { item, judge } = client;
  const remove = judgedRemoval(client);
  if (remove === undefined) return;
  const [earlier, before] = [await sendTo(client, item.read, id), await sendTo(client, item.read, id)];
  if (!isSuccessfulStep(before) || !isSuccessfulStep(earlier)) return;
  const etag = isConditional(remove) ? responseEtag(before) : undefined;
  if (etag !== undefined) {
    const stale = await sendTo(client, remove, id, { etag: otherTag(etag) });
    if (stale !== undefined)
      judge.expect('conditional_requests', stale, isSuccessfulStep(stale) ? STALE_IS_ACCEPTED : undefined, [before]);
    if (isSuccessfulStep(stale)) return;
  }
  const deletion = await sendTo(client, remove, id, { etag });
  if (deletion === undefined) return;
  const isMissing = MISSING.includes(deletion.response.status);
  judge.expect(
    'ensure_resource_availability',
    deletion,
    isMissing ? `a resource that can be read cannot be deleted: status ${String(deletion.response.status)}` : undefined,
    [before],
  );
  if (!isDeleted(client, deletion)) return;

  const after = await sendTo(client, item.read, id);
  // Deleting the only resource of a path may restore its defaults.
  const mayReset = item.parameter === '' && !isSameJson(before.json, after?.json);
  if (
    after === undefined ||
    mayReset ||
    (isSuccessfulStep(after) && isMarkedAsDeleted(earlier.json, before.json, after.json))
  )
    return;
  const isGone = missing.includes(after.response.status);
  judge.expect(
    'use_after_free',
    after,
    isSuccessfulStep(after) ? `a deleted resource can be read: status ${String(after.response.status)}` : undefined,
  );
  await expectNotListed(client, id);
  if (!isGone) return;
  await deleteAgain(client, id);
  await replaceDeleted(client, id);
}

/** Deletes a resource that only a list shows. Expects a list without the resource. */
export async function checkListedDeletion(client: ResourceClient, id: Id): Promise<void> {
  const { judge } = client;
  const remove = judgedRemoval(client);
  if (remove === undefined) return;
  const [earlier, before] = [await observeState(client, id, []), await observeState(client, id, [])];
  if (earlier?.isPresent !== true || before?.isPresent !== true) return;
  const deletion = await sendTo(client, remove, id);
  if (deletion === undefined) return;
  if (!isDeleted(client, deletion)) return;
  const after = await observeState(client, id, [], isWithout(client, id));
  if (after === undefined || (after.isPresent === true && isMarkedAsDeleted(earlier.json, before.json, after.json)))
    return;
  const [step, ...others] = after.steps;
  judge.expect('use_after_free', step, after.isPresent === true ? STILL_LISTED : undefined, others);
}

/** Returns the DELETE of a resource, unless its effect may be delayed. */
function judgedRemoval({ item: { remove }, judge }: ResourceClient): ApiOperation | undefined {
  if (remove === undefined || !isAsynchronous(remove)) return remove;
  judge.skip('use_after_free', MAY_BE_DELAYED.reason);
  return undefined;
}

/** Returns whether a DELETE succeeded. */
function isDeleted({ judge }: ResourceClient, { response: { status } }: SequenceStep): boolean {
  if (!isSuccess(status)) judge.skip('use_after_free', `its DELETE got status ${String(status)}`);
  return isSuccess(status);
}

/**
 * Returns whether a member marks the resource as deleted: the DELETE changed it, and it is not a time or a number.
 *
 * @param earlier the first of two reads before the DELETE
 * @param after the read after the DELETE
 */
export function isMarkedAsDeleted(earlier: Json = null, before: Json = null, after: Json = null): boolean {
  const names = [before, after].flatMap((json) => membersOf(json).map(([name]) => name));
  return names.some((name) => {
    const [one, other, last] = [earlier, before, after].map((json) => partAt(json, [name]));
    return isSameJson(one, other) && !isSameJson(other, last) && !(isCounted(other) && isCounted(last));
  });
}

function isSameJson(one: Json = null, other: Json = null): boolean {
  return stringifyJson(one) === stringifyJson(other);
}

/** Returns whether a value is a number or a time, which may change with every request. */
function isCounted(value: Json = null): boolean {
  return typeof value === 'string' ? !Number.isNaN(Date.parse(value)) : typeof value === 'number';
}

/** Returns a function that returns whether a list lacks a resource. */
function isWithout(client: ResourceClient, id: Id): (listing: Listing) => boolean {
  return (listing) => findId(listing, currentId(client, id).at(-1)) === undefined;
}

async function expectNotListed(client: ResourceClient, id: Id): Promise<void> {
  const listing = await readListWhen(client, id, isWithout(client, id));
  const last = listing?.pages.at(-1);
  if (listing === undefined || last === undefined) return;
  const current = idText(currentId(client, id).at(-1));
  const listed = findId(listing, current);
  // An id that differs in case may belong to another resource, which can be read.
  const isOther =
    listed !== undefined &&
    listed !== current &&
    isSuccessfulStep(await sendTo(client, client.item.read, [...id.slice(0, -1), listed]));
  const isListed = listed !== undefined && !isOther;
  client.judge.expect('use_after_free', last, isListed ? STILL_LISTED : undefined, listing.pages);
}

async function deleteAgain(client: ResourceClient, id: Id): Promise<void> {
  const { item, judge } = client;
  const again = await sendTo(client, item.remove, id);
  if (again === undefined) return;
  const { status } = again.response;
  const message = `the second DELETE got status ${String(status)}`;
  judge.expect('delete_is_idempotent', again, status >= 500 ? message : undefined);
  const read = await sendTo(client, item.read, id);
  if (read === undefined) return;
  judge.expect(
    'delete_is_idempotent',
    read,
    isSuccessfulStep(read) ? 'after a second DELETE, the resource can be read again' : undefined,
    [again],
  );
}

/** Tries to replace the deleted resource, if a PUT does not create resources. */
async function replaceDeleted(client: ResourceClient, id: Id): Promise<void> {
  const { item, judge } = client;
  const { replace } = item;
  if (replace === undefined || !describesStatus(replace, 404) || mayCreate(item)) return;
  const step = await sendTo(client, replace, id, { variant: SEED_OFFSET.late });
  if (step === undefined) return;
  judge.expect(
    'use_after_free',
    step,
    isSuccessfulStep(step) ? `a deleted resource can be replaced: status ${String(step.response.status)}` : undefined,
  );
}
