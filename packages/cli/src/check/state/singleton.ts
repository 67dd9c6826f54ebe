import { parameterNames, stringifyJson } from '@contract-first/contract';
import { itemsOf, successSchemas } from '../../resources/list-schema.ts';
import { isObject, partAt } from '../../values/json-value.ts';
import { checkDeletion } from './deletion.ts';
import type { Absence } from './instances.ts';
import { checkOmission } from './omission.ts';
import {
  differenceBetween,
  etagOf,
  isConditional,
  isDone,
  SALT,
  sendTo,
  type Id,
  type Scene,
} from './resource-steps.ts';
import type { Defect } from '../judgement/defect.ts';
import type { ItemPath } from '../../resources/item-path.ts';
import { missingStatuses } from './scenario.ts';
import type { Step } from './send.ts';
import { isAsynchronous } from '../judgement/statuses.ts';
import { checkUpdates } from './updates.ts';

/** A PUT and the read after it, with the members that were written as text in the response of each. */
type Round = { readonly step: Step; readonly read: Step; readonly told: string; readonly text: string };

// Booleans and choices may be equal in several rounds.
const ROUNDS = 3;
const MAX_ROUNDS = 6;
const NOT_FOLLOWED: Absence = { reason: 'reads do not return the written values' };

/**
 * Replaces the only resource of a path, such as `/settings`, and deletes it. Where its reads do not follow its PUT, the PUT has
 * no effect, unless the server may have no state, as a mock.
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
  const rounds: Round[] = [];
  let lost: { readonly read: Step; readonly difference: Defect } | undefined;
  while (rounds.length < ROUNDS || (rounds.length < MAX_ROUNDS && isConstant(rounds, 'text') && lost === undefined)) {
    const round = await readReplaced(scene, id, SALT.singleton + rounds.length);
    if (round === undefined) return NOT_FOLLOWED;
    rounds.push(round);
    const difference = differenceBetween(round.step, round.read, scene);
    if (difference !== undefined) lost = { read: round.read, difference };
  }
  if (isConstant(rounds, 'text')) {
    if (lost === undefined || isForOther(scene.item) || !(await hasState(scene, rounds))) return NOT_FOLLOWED;
    judge.expect('update_is_visible', lost.read, lost.difference);
    return undefined;
  }
  await checkUpdates(scene, id, rounds.at(-1)?.step);
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

/** Replaces the resource and reads it; `undefined` when a request fails or two reads differ. */
async function readReplaced(scene: Scene, id: Id, salt: number): Promise<Round | undefined> {
  const { read, replace } = scene.item;
  const before = replace && isConditional(replace) ? await sendTo(scene, read, id) : undefined;
  const step = await sendTo(scene, replace, id, { salt, etag: before && etagOf(before) });
  const [first, second] = [await sendTo(scene, read, id), await sendTo(scene, read, id)];
  if (!isDone(step) || !isDone(first) || !isDone(second)) return undefined;
  const written = step.testCase.input?.body?.value ?? null;
  const textOf = ({ json = null }: Step): string =>
    stringifyJson(isObject(written) ? Object.keys(written).map((name) => partAt(json, [name])) : json);
  return textOf(first) === textOf(second) ? { step, read: first, told: textOf(step), text: textOf(first) } : undefined;
}

function isConstant(rounds: readonly Round[], name: 'told' | 'text'): boolean {
  return new Set(rounds.map((round) => round[name])).size === 1;
}

/** Whether a query selects what is replaced or read. */
function isForOther({ read, replace }: ItemPath): boolean {
  return [read, replace].some((one) =>
    one?.parameters.some(({ in: place, required }) => place === 'query' && required),
  );
}

/** Whether a PUT is answered with what it has written, or another path tells what exists from what never did. */
async function hasState(scene: Scene, rounds: readonly Round[]): Promise<boolean> {
  if (!isConstant(rounds, 'told')) return true;
  const other = scene.items.find(({ path, read }) => read !== undefined && parameterNames(path).length === 1);
  return other !== undefined && (await missingStatuses({ ...scene, item: other }, [])) !== undefined;
}
