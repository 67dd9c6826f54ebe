import type { CheckFailure } from '../judgement/failures.ts';
import { isAsynchronous } from '../judgement/statuses.ts';
import { isSameResource } from './identity.ts';
import type { Absence, Instance } from './instances.ts';
import { checkActions } from './laws/actions.ts';
import { checkConditionalRead } from './laws/conditional-read.ts';
import { sendCreation } from './laws/creating-put.ts';
import { checkDeletion, checkListedDeletion } from './laws/deletion.ts';
import { checkFilters } from './laws/filters.ts';
import { checkIdempotencyKey } from './laws/idempotency-key.ts';
import { expectListed } from './laws/list-contains.ts';
import { checkOmission } from './laws/omission.ts';
import { checkOtherParent } from './laws/other-parent.ts';
import { checkPaging } from './laws/paging.ts';
import { describeMissing, readCreated } from './laws/read-your-writes.ts';
import { checkReadOnly } from './laws/read-only.ts';
import { checkUpdates } from './laws/replacement.ts';
import { checkUniqueId } from './laws/unique-id.ts';
import {
  MAY_BE_DELAYED,
  readList,
  missingStatuses,
  SEED_OFFSET,
  sendTo,
  type Id,
  type ResourceClient,
} from './resource-client.ts';
import type { SequenceStep } from './sequence-step.ts';
import { withNulls } from './step-input.ts';

/** `stateless` if reads succeed for any id, the reason if nothing was judged, otherwise `undefined`. */
export type SequenceOutcome = 'stateless' | Absence | undefined;

/**
 * Creates two resources. Reads, lists, updates and deletes the first, then reads the second. Judges nothing if the
 * document allows delayed processing (202), or if reads of unknown ids succeed.
 */
export async function runItemSequence(client: ResourceClient): Promise<SequenceOutcome> {
  const { item, judge, instances } = client;
  const { create, read: readOperation } = item;
  if (create === undefined || readOperation === undefined) return undefined;
  if (isAsynchronous(create)) return MAY_BE_DELAYED;
  const parent = await instances.createParent(item, judge.send, SEED_OFFSET.first);
  if ('reason' in parent) return parent;
  await readList(client, parent); // Applies the response checks to the list, which may be empty.
  const sendNew = sendCreation(client);
  const first = await instances.create(item, sendNew, SEED_OFFSET.first, parent);
  if ('reason' in first) return first;
  const missing = await missingStatuses(client, first.values.slice(0, -1));
  if (missing === undefined) return 'stateless';

  const read = await readCreated(client, first, missing);
  if (read === undefined) return undefined;
  for (const other of first.others) {
    if (isSameResource(other.values, first.values)) continue;
    const step = await sendTo(client, readOperation, other.values);
    if (step !== undefined) {
      judge.expect(
        'ensure_resource_availability',
        step,
        describeMissing(step, missing, `${other.source} names a resource that`),
      );
    }
  }
  const second = await instances.create(item, sendNew, SEED_OFFSET.second, parent, (input) =>
    withNulls(input, client.run),
  );
  if (item.replace !== create && item.replace?.path === readOperation.path && item.replace.responses[201] !== undefined)
    await instances.create({ ...item, create: item.replace }, sendNew, SEED_OFFSET.anew, first.values.slice(0, -1));
  const others = besides(client, first, second);
  const subject: Subject = { parent, first, others, missing };
  await runPart(client, subject, async (part, { first: one, others: [other] }) => {
    if (other === undefined) return;
    await readCreated(part, other, missing);
    await readCreated(part, one, missing);
  });
  for (const size of ['large', 'small'] as const)
    await runPart(client, subject, (part, { first: one, others: rest }) => expectListed(part, [one, ...rest], size));
  await runPart(client, subject, (part) => checkPaging(part, parent), 0);
  await checkLists(client, subject);
  await runPart(client, subject, (part, { first: { values } }) => checkActions(part, values));
  await checkConditionalRead(client, read);
  await runPart(client, subject, async (part, { first: one, others: rest }) => {
    await checkUpdates(part, one.values, instances.creationOf(item, one));
    await checkOmission(part, one.values);
    for (const other of rest) await readCreated(part, other, missing);
  });
  const repeatable = await checkUniqueIds(client, subject);
  for (const operation of new Set([item.replace, item.patch, repeatable && create])) {
    await runPart(client, subject, (part, { first: { values } }) =>
      checkReadOnly(part, values, operation, operation === create ? repeatable : undefined),
    );
  }
  await runPart(client, subject, (part) => checkIdempotencyKey(part, parent), 0);
  await runPart(client, subject, async (part, { first: { values }, others: rest }) => {
    await checkDeletion(part, values, missing);
    for (const other of rest) {
      await readCreated(part, other, missing);
      await expectListed(part, [other]);
    }
  });
  return undefined;
}

/** Checks that ids are unique. Returns a creation that can be repeated, if there is one. */
async function checkUniqueIds(client: ResourceClient, subject: Subject): Promise<SequenceStep | undefined> {
  let repeatable: SequenceStep | undefined;
  const part = async (one: ResourceClient, { parent }: Subject): Promise<void> => {
    const creation = await checkUniqueId(one, parent);
    repeatable ??= creation;
  };
  await runPart(client, subject, part, 0);
  return repeatable;
}

/** Checks the filters of the list, and the lists of other parents. */
async function checkLists(client: ResourceClient, subject: Subject): Promise<void> {
  await runPart(client, subject, (part, { parent, first }) => checkFilters(part, parent, first));
  await runPart(client, subject, (part, { parent }) => checkOtherParent(part, parent), 0);
}

/** The resources of a sequence. */
type Subject = {
  readonly parent: Id;
  readonly first: Instance;
  /** The second resource, if there is one. */
  readonly others: readonly Instance[];
  readonly missing: readonly number[];
};

/**
 * Runs a part of a sequence. If a check fails, repeats only this part with as few new resources as possible, and keeps
 * the shorter evidence.
 *
 * @param least the number of new resources that the part needs: 0, 1 or 2
 */
async function runPart(
  client: ResourceClient,
  subject: Subject,
  part: (client: ResourceClient, subject: Subject) => Promise<void>,
  least = 1,
): Promise<void> {
  const known = client.judge.failures().length;
  await part(client, subject);
  const isNew = (failure: CheckFailure, index: number): boolean => index >= known && failure.earlier !== undefined;
  for (let count = least; count <= 2; count += 1) {
    const found = client.judge.failures().filter(isNew);
    if (found.every(({ earlier = [] }) => earlier.length <= count)) return;
    const renewed = client.renew();
    const { item, judge, instances } = renewed;
    const create = (variant: number) => instances.create(item, judge.send, variant, subject.parent);
    const first = count === 0 ? subject.first : await create(SEED_OFFSET.first);
    const second = count < 2 ? undefined : await create(SEED_OFFSET.second);
    if (!('values' in first)) return;
    const others = besides(client, first, second);
    await part(renewed, { ...subject, first, others });
    client.judge.shorten(judge.failures());
  }
}

/**
 * Creates two resources that no operation reads one by one. Expects both resources in the list, and after the deletion
 * of the first resource, only the second.
 */
export async function runListedItemSequence(client: ResourceClient): Promise<SequenceOutcome> {
  const { item, judge, instances } = client;
  if (item.create === undefined) return undefined;
  if (isAsynchronous(item.create)) return MAY_BE_DELAYED;
  const parent = await instances.createParent(item, judge.send, SEED_OFFSET.first);
  if ('reason' in parent) return parent;
  const first = await instances.create(item, judge.send, SEED_OFFSET.first, parent);
  if ('reason' in first) return first;
  const second = await instances.create(item, judge.send, SEED_OFFSET.second, parent);
  const others = besides(client, first, second);
  const subject: Subject = { parent, first, others, missing: [] };
  for (const size of ['large', 'small'] as const)
    await runPart(client, subject, (part, { first: one, others: rest }) => expectListed(part, [one, ...rest], size));
  await runPart(client, subject, (part) => checkPaging(part, parent), 0);
  await checkLists(client, subject);
  await runPart(client, subject, async (part, { first: { values }, others: rest }) => {
    await checkListedDeletion(part, values);
    for (const other of rest) await expectListed(part, [other]);
  });
  await checkUniqueIds(client, subject);
  return undefined;
}

/** Returns the second resource in a list; none if its creation failed, or may have replaced the first resource. */
function besides(
  { item, instances }: ResourceClient,
  first: Instance,
  second: Instance | Absence | undefined,
): readonly Instance[] {
  const isKept = instances.creationOf(item, first) !== undefined;
  return second !== undefined && 'values' in second && isKept ? [second] : [];
}
