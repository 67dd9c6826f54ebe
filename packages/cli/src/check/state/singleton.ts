import { parameterNames, stringifyJson } from '@contract-first/contract';
import { itemsOf, successSchemas } from '../../resources/list-schema.ts';
import { isObject, partAt } from '../../values/json-value.ts';
import { checkDeletion } from './deletion.ts';
import type { Absence } from './instances.ts';
import { checkOmission } from './omission.ts';
import { etagOf, isConditional, isDone, SALT, sendTo, type Id, type Scene } from './resource-steps.ts';
import { isAsynchronous } from '../judgement/statuses.ts';
import { checkUpdates } from './updates.ts';

/**
 * Replaces the only resource of a path, such as `/settings`, and deletes it. Nothing is judged where its reads do not
 * follow its PUT, as those of a mock.
 *
 * @returns why it was not followed; otherwise `undefined`
 */
export async function runSingletonScenario(scene: Scene): Promise<Absence | undefined> {
  const { item, judge, instances, run } = scene;
  const { read, replace, remove } = item;
  if (replace === undefined || isAsynchronous(replace)) return undefined;
  const count = parameterNames(replace.path).length;
  const outer = count === 0 ? { values: [] } : await instances.obtain(replace, judge.send, SALT.first);
  if ('reason' in outer) return outer;
  const id = outer.values.slice(0, count);
  const reads = [];
  for (const salt of [SALT.first, SALT.second, SALT.late]) reads.push(await readReplaced(scene, id, salt));
  if (reads.includes(undefined) || new Set(reads).size === 1)
    return { reason: 'reads do not return the written values' };
  await checkUpdates(scene, id, undefined);
  await checkOmission(scene, id);
  // A list is empty after its deletion.
  const isList = (read ? successSchemas(read) : []).some(
    (schema) => itemsOf(schema, run.responseSchemas) !== undefined,
  );
  if (remove === undefined || isList) return undefined;
  await checkDeletion(scene, id, []);
  await sendTo(scene, replace, id, { salt: SALT.first }); // Later requests find it.
  return undefined;
}

/** Replaces the resource; returns the written members as text after a read, `undefined` when two reads differ. */
async function readReplaced(scene: Scene, id: Id, salt: number): Promise<string | undefined> {
  const { read, replace } = scene.item;
  const before = replace && isConditional(replace) ? await sendTo(scene, read, id) : undefined;
  const step = await sendTo(scene, replace, id, { salt, etag: before && etagOf(before) });
  const reads = [await sendTo(scene, read, id), await sendTo(scene, read, id)].filter(isDone);
  if (!isDone(step) || reads.length < 2) return undefined;
  const written = step.testCase.input?.body?.value ?? null;
  const texts = reads.map(({ json = null }) =>
    stringifyJson(isObject(written) ? Object.keys(written).map((name) => partAt(json, [name])) : json),
  );
  return texts[0] === texts[1] ? texts[0] : undefined;
}
