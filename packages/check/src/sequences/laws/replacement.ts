import { stringifyJson } from '@contract-first/contract';
import { isArray, type Json, membersOf, partAt } from '@contract-first/model/values';
import {
  MAY_BE_DELAYED,
  responseEtag,
  isConditional,
  isSuccessfulStep,
  readUpdated,
  SEED_OFFSET,
  STALE_IS_ACCEPTED,
  sendTo,
  type Id,
  type ResourceClient,
} from '../resource-client.ts';
import { differenceBetween } from '../compare-written.ts';
import { checkPatches } from './patches.ts';
import type { SequenceStep } from '../sequence-step.ts';
import { isAsynchronous, isSuccess } from '../../judgement/statuses.ts';

const PRECONDITION_FAILED = 412;
const CONDITION_STATUSES = [409, PRECONDITION_FAILED, 428];

/** Replaces and patches a resource. */
export async function checkUpdates(client: ResourceClient, id: Id, creation: SequenceStep | undefined): Promise<void> {
  const replaced = await checkReplacement(client, id, creation);
  await checkPatches(client, id, replaced ?? creation);
}

/** Replaces and reads a resource. Then repeats the PUT, and sends a PUT with an outdated entity tag. */
async function checkReplacement(
  client: ResourceClient,
  id: Id,
  earlier: SequenceStep | undefined,
): Promise<SequenceStep | undefined> {
  const { item, judge } = client;
  const { replace, read: readOperation } = item;
  if (replace === undefined) return undefined;
  if (isAsynchronous(replace)) {
    judge.skip('update_is_visible', MAY_BE_DELAYED.reason);
    return undefined;
  }
  const before = await sendTo(client, readOperation, id);
  if (!isSuccessfulStep(before)) return undefined;
  if (isConditional(replace) && responseEtag(before) === undefined)
    judge.skip('conditional_requests', 'its read has no strong ETag');
  const etag = isConditional(replace) ? responseEtag(before) : undefined;
  const unlike = before.json;
  const update = await sendTo(client, replace, id, { variant: SEED_OFFSET.update, etag, unlike });
  if (update === undefined) return undefined;
  if (etag !== undefined) {
    const isRefused = update.response.status === PRECONDITION_FAILED;
    judge.expect(
      'conditional_requests',
      update,
      isRefused ? 'the current ETag in If-Match is refused with 412' : undefined,
      [before],
    );
  }
  const { status } = update.response;
  if (!isSuccess(status)) {
    judge.skip('update_is_visible', `its PUT got status ${String(status)}`);
    return undefined;
  }
  const after = await readUpdated(client, id);
  if (after === undefined) return undefined;
  const earlierBody = earlier?.testCase.input?.body;
  const previous = earlierBody && { written: earlierBody.value, read: before.json ?? null };
  const difference = differenceBetween(update, after, client, { previous });
  judge.expect('update_is_visible', after, difference);

  const [oldTag, newTag] = [responseEtag(before), responseEtag(after)];
  if (oldTag !== undefined && newTag !== undefined) {
    const isSame = oldTag === newTag && stringifyJson(before.json) !== stringifyJson(after.json);
    judge.expect(
      'conditional_requests',
      after,
      isSame ? 'another representation has the same strong ETag' : undefined,
      [before],
    );
  }
  if (difference !== undefined) return undefined;
  await replaceAgain(client, id, after, { etag: newTag, unlike });
  if (etag !== undefined && oldTag !== newTag) await replaceStale(client, id, etag);
  return update;
}

/**
 * Repeats the PUT of a resource.
 *
 * @param before the read after the first PUT
 */
async function replaceAgain(
  client: ResourceClient,
  id: Id,
  before: SequenceStep,
  { etag, unlike }: { readonly etag: string | undefined; readonly unlike: Json | undefined },
): Promise<void> {
  const { item, judge } = client;
  const condition = item.replace && isConditional(item.replace) ? etag : undefined;
  const again = await sendTo(client, item.replace, id, { variant: SEED_OFFSET.update, etag: condition, unlike });
  if (again === undefined || CONDITION_STATUSES.includes(again.response.status)) return;
  const { status } = again.response;
  judge.expect(
    'put_is_idempotent',
    again,
    isSuccessfulStep(again) ? undefined : `the same PUT got status ${String(status)} the second time`,
  );
  const read = await sendTo(client, item.read, id);
  if (!isSuccessfulStep(again) || !isSuccessfulStep(read)) return;
  const message = differenceBetween(again, read, client) ?? growthBetween(again, before, read);
  judge.expect('put_is_idempotent', read, message);
}

/** Finds an array whose length a repeated PUT changed: a member, or the whole list. */
function growthBetween({ testCase }: SequenceStep, before: SequenceStep, after: SequenceStep): string | undefined {
  const written = testCase.input?.body?.value ?? null;
  const places = isArray(written) ? [[]] : membersOf(written).map(([name]) => [name]);
  const sizesOf = (place: readonly (string | number)[]): readonly (number | undefined)[] =>
    [before, after].map(({ json = null }) => {
      const part = partAt(json, place);
      return isArray(part) ? part.length : undefined;
    });
  const grown = places.find((place) => new Set(sizesOf(place)).size > 1);
  return grown === undefined ? undefined : `the same PUT again has changed the length of ${grown.join() || 'the list'}`;
}

/** Sends a PUT with an outdated entity tag, which must have no effect (RFC 9110, 13.1.1). */
async function replaceStale(client: ResourceClient, id: Id, etag: string): Promise<void> {
  const { item, judge } = client;
  const before = await sendTo(client, item.read, id);
  const stale = await sendTo(client, item.replace, id, { variant: SEED_OFFSET.stale, etag });
  if (stale === undefined || !isSuccessfulStep(before)) return;
  judge.expect('conditional_requests', stale, isSuccessfulStep(stale) ? STALE_IS_ACCEPTED : undefined, [before]);
  const after = await sendTo(client, item.read, id);
  if (isSuccessfulStep(stale) || !isSuccessfulStep(after)) return;
  const isWritten = (read: SequenceStep): boolean => differenceBetween(stale, read, client) === undefined;
  const isChanged = isWritten(after) && !isWritten(before);
  judge.expect(
    'conditional_requests',
    after,
    isChanged ? 'a PUT that was refused has changed the resource' : undefined,
    [stale],
  );
}
