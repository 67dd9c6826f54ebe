import { parameterNames, stringifyJson } from '@contract-first/contract';
import { idText } from '@contract-first/model/resources';
import { defectOf } from '../../judgement/defect.ts';
import { isSameResource } from '../identity.ts';
import { readList, SEED_OFFSET, type Id, type ResourceClient } from '../resource-client.ts';

/**
 * Creates a resource below one parent. Expects that the list of another parent does not have it. Passes if the other
 * list contained the same id before, since ids may be unique only within a parent.
 */
export async function checkOtherParent(client: ResourceClient, parent: Id): Promise<void> {
  const { item, judge, instances } = client;
  const count = item.list === undefined ? 0 : parameterNames(item.list.path).length;
  if (item.create === undefined || count === 0) return;
  const other = await instances.createParent(item, judge.send, SEED_OFFSET.anew);
  if ('reason' in other || isSameResource(other.slice(0, count), parent.slice(0, count))) return;
  const before = await readList(client, other);
  if (before === undefined) return;
  const created = await instances.create(item, judge.send, SEED_OFFSET.inside, parent);
  if ('reason' in created) return;
  const after = await readList(client, other);
  const last = after?.pages.at(-1);
  if (after === undefined || last === undefined) return;
  const id = created.values.at(-1);
  const isListed = after.items.has(idText(id)) && !before.items.has(idText(id));
  const defect = defectOf(
    `the list of ${stringifyJson(other.at(count - 1))} has ${stringifyJson(id)}, which was created below ${stringifyJson(parent.at(count - 1))}`,
    'the list has a resource that was created below another parent',
  );
  judge.expect('list_filters', last, isListed ? defect : undefined, after.pages);
}
