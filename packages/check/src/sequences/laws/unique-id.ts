import { stringifyJson } from '@contract-first/contract';
import { idText } from '@contract-first/model/resources';
import { defectOf } from '../../judgement/defect.ts';
import { isSameResource } from '../identity.ts';
import type { Evidence, SequenceStep } from '../sequence-step.ts';
import { isSuccessfulStep, readList, sendTo, SEED_OFFSET, type Id, type ResourceClient } from '../resource-client.ts';

/**
 * Creates two resources with the same data. If both have the same id, the list must not have two items with this id. If
 * there is no list, a single DELETE must remove the resource.
 *
 * @returns the creation, if it can be repeated
 */
export async function checkUniqueId(client: ResourceClient, parent: Id): Promise<SequenceStep | undefined> {
  const { item, judge, instances } = client;
  if (item.create?.method !== 'POST') return undefined;
  const created = await instances.create(item, judge.send, SEED_OFFSET.equal, parent);
  if ('reason' in created || created.creation === undefined) return undefined;
  const { creation, values } = created;
  const again = await judge.repeat(creation);
  if (!isSuccessfulStep(again)) return undefined;
  const [identity] = instances.identities(again, item);
  if (identity === undefined || !isSameResource(identity.values, values)) return creation;
  const evidence = await findBoth(client, values);
  const cause = 'two created resources have the same id';
  const defect = defectOf(`${cause}, ${stringifyJson(values.at(-1))}`, cause);
  if (evidence !== undefined)
    judge.expect('ensure_resource_availability', evidence[0], evidence[1] ? defect : undefined);
  return creation;
}

/** Returns the response that shows whether two resources have an id; `undefined` if no response shows this. */
async function findBoth(client: ResourceClient, id: Id): Promise<readonly [Evidence, boolean] | undefined> {
  const { item } = client;
  const listing = await readList(client, id);
  const key = idText(id.at(-1));
  const isTwice = (ids: readonly string[]): boolean => ids.indexOf(key) !== ids.lastIndexOf(key);
  const pages = listing?.pages ?? [];
  const page = pages[listing?.pageIds.findIndex(isTwice) ?? -1];
  const last = page ?? pages.at(-1);
  if (last !== undefined) return [last, page !== undefined];
  const removed = await sendTo(client, item.remove, id);
  const between = isSuccessfulStep(removed) ? await sendTo(client, item.read, id) : undefined;
  if (between === undefined) return undefined;
  if (!isSuccessfulStep(between)) return [between, false];
  await sendTo(client, item.remove, id);
  const after = await sendTo(client, item.read, id);
  return after && [between, !isSuccessfulStep(after)];
}
