import { type ApiOperation, headerParameter } from '@contract-first/model/operations';
import { credentialsFor, isProtected } from '@contract-first/model/requests';
import { idText, itemIds, itemsIn } from '@contract-first/model/resources';
import type { CheckName } from '../judgement/checks.ts';
import { defectOf } from '../judgement/defect.ts';
import { isAsynchronous, MISSING } from '../judgement/statuses.ts';
import { isMarkedAsDeleted } from './laws/deletion.ts';
import { mayCreate } from './followed-paths.ts';
import { isSameResource } from './identity.ts';
import {
  MAY_BE_DELAYED,
  responseEtag,
  type Id,
  isSuccessfulStep,
  missingStatuses,
  readList,
  SEED_OFFSET,
  type ResourceClient,
  sendTo,
} from './resource-client.ts';
import { differenceBetween } from './compare-written.ts';
import type { SequenceOutcome } from './item-sequence.ts';
import type { Send, SequenceStep } from './sequence-step.ts';
import { observeState, presenceIn, type ObservedState } from './resource-state.ts';

/**
 * Creates a resource, and tries to read, list, change and delete it as a second user. Does not judge public and shared
 * operations. Judges nothing unless a request of the second user for its own resources was successful. If no operation
 * reads a single resource, the list shows its state. Without a list, a DELETE of the first user shows whether the
 * resource still exists.
 *
 * @param other the client of the second user
 */
export async function runOtherUserSequence(client: ResourceClient, other: ResourceClient): Promise<SequenceOutcome> {
  const { item, judge, instances } = client;
  const { create, read } = item;
  const changes = [item.patch, item.replace, item.remove];
  const isJudged = (operation: ApiOperation | undefined): operation is ApiOperation =>
    operation !== undefined && !isAsynchronous(operation) && isPersonal(operation, client);
  if (create === undefined || ![read, item.list, ...changes].some(isJudged)) return undefined;
  if (isAsynchronous(create)) return MAY_BE_DELAYED;
  const created = await instances.create(item, judge.send, SEED_OFFSET.owned);
  if ('reason' in created) return created;
  const { values: id, creation } = created;
  if (creation === undefined) return undefined;
  const missing = read === undefined ? await deletedStatuses(client) : await missingStatuses(client, id.slice(0, -1));
  if (missing === undefined) return read === undefined ? { reason: 'no response shows its state' } : 'stateless';
  const before = await observeState(client, id, missing);
  if (before?.isPresent === false || (before !== undefined && before.isPresent === undefined))
    return {
      reason: read === undefined ? 'the list lacks it' : `its read got ${String(before.steps[0].response.status)}`,
    };

  const { isProven, own } = await ownResource(other);
  if (!isProven) return { reason: 'no request of the second user was successful: are its credentials right?' };
  const trespasser = trespasserOf(client, other);
  const found = await sendTo(trespasser, read, id);
  const isFound = isSuccessfulStep(found);
  const isSame = (one: SequenceStep | ObservedState): boolean => differenceBetween(creation, one, client) === undefined;
  // The second user may own a resource with the same id.
  const isOwnId = own !== undefined && isSameResource(own, id);
  const hasSameId = isOwnId || (isFound && before !== undefined && isSame(before) && !isSame(found));
  const isRead = isFound && !hasSameId;
  if (isJudged(read) && found !== undefined) judgeTrespass(client, found, isRead ? 'read it' : undefined, missing);
  // If the resource can be read, its presence in the list has the same cause.
  if (isJudged(item.list) && !hasSameId && !(isJudged(read) && isRead)) await tryList(client, trespasser, id);
  for (const operation of changes)
    if (isJudged(operation)) await tryChange(client, operation, id, { other: trespasser, missing, hasSameId });
  return undefined;
}

/**
 * Returns the statuses that a second DELETE of a resource may have, if no operation reads a single resource. Returns no
 * statuses if a list shows the resource.
 *
 * @returns `undefined` if neither a list nor a second DELETE shows that a resource is gone
 */
async function deletedStatuses(client: ResourceClient): Promise<readonly number[] | undefined> {
  const { item, judge, instances } = client;
  const control = await instances.create(item, judge.send, SEED_OFFSET.late);
  if ('reason' in control) return undefined;
  if ((await observeState(client, control.values, [])) !== undefined) return [];
  if (!isSuccessfulStep(await sendTo(client, item.remove, control.values))) return undefined;
  const again = await sendTo(client, item.remove, control.values);
  return again !== undefined && MISSING.includes(again.response.status) ? MISSING : undefined;
}

/** Returns a client for the second user's requests to the first user's resource, which are judged. */
function trespasserOf({ judge }: ResourceClient, other: ResourceClient): ResourceClient {
  const { instances } = other;
  const references: typeof instances.references = (operation, values, _send, variant) =>
    instances.references(operation, values, other.judge.send, variant);
  return { ...other, judge: { ...judge, send: judge.sendAsOther }, instances: { ...instances, references } };
}

/** Returns whether an operation is not shared, and needs credentials that differ between the users. */
function isPersonal(operation: ApiOperation, { run: { tokens, users, isShared } }: ResourceClient): boolean {
  if (users.otherTokens === undefined || !isProtected(operation) || isShared(operation)) return false;
  const [first, other] = [tokens, users.otherTokens].map((one) => JSON.stringify(credentialsFor(operation, one)));
  return first !== other;
}

/** Creates and reads, or lists, the second user's own resources, to verify that its credentials work. */
async function ownResource(
  other: ResourceClient,
): Promise<{ readonly isProven: boolean; readonly own: Id | undefined }> {
  const { item, judge, instances } = other;
  let isProven = false;
  const send: Send = async (...request) => {
    const step = await judge.send(...request);
    if (isSuccessfulStep(step) && isProtected(step.operation)) isProven = true;
    return step;
  };
  const proving = { ...other, judge: { ...judge, send } };
  const created = await instances.create(item, send, SEED_OFFSET.second);
  const own = 'reason' in created ? undefined : created.values;
  if (own === undefined) await readList(proving, []);
  else await sendTo(proving, item.read, own);
  return { isProven, own };
}

/** Reads the list as the second user. No page may contain the resource, even if the list is incomplete. */
async function tryList(client: ResourceClient, other: ResourceClient, id: Id): Promise<void> {
  const pages: SequenceStep[] = [];
  const send: Send = async (...request) => {
    const step = await other.judge.send(...request);
    if (step !== undefined) pages.push(step);
    return step;
  };
  await readList({ ...other, judge: { ...other.judge, send } }, id);
  const hasIt = ({ json = null, operation }: SequenceStep): boolean =>
    itemIds(itemsIn(json, operation) ?? [], client.idMembers).some((one) => idText(one) === idText(id.at(-1)));
  const telling = pages.find(hasIt) ?? pages.at(-1);
  if (telling === undefined) return;
  judgeTrespass(client, telling, hasIt(telling) ? 'list it' : undefined);
}

const CHECK: CheckName = 'object_level_authorization';
/** The statuses that deny access to a resource. Other statuses may reject the request itself. */
const REFUSALS = [401, 403, 404, 410];

/**
 * Records a failure if the second user succeeded, with the option that allows this. Otherwise, records a pass.
 *
 * @param missing the statuses of reads of unknown ids, which deny access, too
 */
function judgeTrespass(
  { judge }: ResourceClient,
  step: SequenceStep,
  deed: string | undefined,
  missing: readonly number[] = [],
): void {
  const { method, template } = step.operation;
  const { status } = step.response;
  if (!isSuccessfulStep(step) && ![...REFUSALS, ...missing].includes(status)) return;
  const cause = `another user can ${deed ?? ''}`;
  const hint = `if everyone may, add --shared '${method} ${template}'`;
  const message = `${cause}: ${method} got status ${String(status)}; ${hint}`;
  judge.expect(CHECK, step, deed === undefined ? undefined : defectOf(message, cause));
}

/**
 * Changes or deletes a resource as the second user. A successful request fails the check, and so does a rejected
 * request with an effect. A success without effect passes for DELETE, and if the request may address another resource,
 * such as a PUT that creates a resource.
 *
 * @param other the client of the second user
 * @param missing the statuses of reads of unknown ids
 * @param hasSameId whether the second user may own a resource with this id
 */
async function tryChange(
  client: ResourceClient,
  operation: ApiOperation,
  id: Id,
  {
    other,
    missing,
    hasSameId,
  }: { readonly other: ResourceClient; readonly missing: readonly number[]; readonly hasSameId: boolean },
): Promise<void> {
  const { item, judge } = client;
  const [earlier, before] = [await observeState(client, id, missing), await observeState(client, id, missing)];
  if ([earlier, before].some((state) => state !== undefined && state.isPresent !== true)) return; // Already deleted.
  const etag = before && headerParameter(operation, 'if-match') && responseEtag(before.steps[0]);
  const attempt = await sendTo(other, operation, id, { variant: SEED_OFFSET.trespass, etag });
  if (attempt === undefined) return;
  const isDeletion = operation === item.remove;
  const observeAgain = before === undefined ? observeByDeletion : observeState;
  const after = before === undefined && !isDeletion ? undefined : await observeAgain(client, id, missing);
  if (after === undefined && (before !== undefined || isDeletion)) return;

  const isWritten = (read: ObservedState): boolean => differenceBetween(attempt, read, client) === undefined;
  const isChanged = (read: ObservedState): boolean =>
    isDeletion
      ? isMarkedAsDeleted(earlier?.json, before?.json, read.json)
      : before !== undefined && isWritten(read) && !isWritten(before);
  const effect =
    after?.isPresent === false
      ? 'deleted'
      : after?.isPresent === true && before !== undefined && isChanged(after)
        ? 'changed'
        : undefined;
  const isCreation = operation === item.replace && (attempt.response.status === 201 || mayCreate(item));
  const isElsewhere = hasSameId || isCreation;
  const isHarmless = effect === undefined && (isDeletion || isElsewhere);
  if (isSuccessfulStep(attempt) || effect === undefined || after === undefined) {
    const deed = isDeletion ? 'delete it' : 'change it';
    judgeTrespass(client, attempt, !isSuccessfulStep(attempt) || isHarmless ? undefined : deed, missing);
  } else {
    const [step, ...others] = after.steps;
    judge.expect(CHECK, step, `the ${operation.method} of another user was refused, but has ${effect} it`, [
      ...others,
      attempt,
    ]);
  }
}

/** Deletes a resource as its owner, which succeeds only if the resource still exists. */
async function observeByDeletion(
  client: ResourceClient,
  id: Id,
  missing: readonly number[],
): Promise<ObservedState | undefined> {
  const step = await sendTo(client, client.item.remove, id);
  if (step === undefined) return undefined;
  return { steps: [step], isPresent: presenceIn(step, missing), json: undefined, schema: undefined };
}
