import { parameterNames, stringifyJson } from '@contract-first/contract';
import { itemsOf, successSchemas } from '@contract-first/model/resources';
import { isObject, type Json, partAt } from '@contract-first/model/values';
import { checkDeletion } from './laws/deletion.ts';
import { type Absence, describeUnknown } from './instances.ts';
import { checkOmission } from './laws/omission.ts';
import {
  responseEtag,
  isConditional,
  isSuccessfulStep,
  missingStatuses,
  SEED_OFFSET,
  sendTo,
  type Id,
  type ResourceClient,
} from './resource-client.ts';
import { differenceBetween } from './compare-written.ts';
import type { Defect } from '../judgement/defect.ts';
import { withOtherChoices } from './step-input.ts';
import type { SequenceStep } from './sequence-step.ts';
import { isAsynchronous } from '../judgement/statuses.ts';
import { checkUpdates } from './laws/replacement.ts';

/** A PUT and the read after it. */
type Round = {
  readonly step: SequenceStep;
  readonly read: SequenceStep;
  /** The written members, as read. */
  readonly text: string;
  readonly difference: Defect | undefined;
  /** Whether the response to the PUT has the written values, but the read has different values. */
  readonly isEchoed: boolean;
};

const NOT_FOLLOWED: Absence = { reason: 'reads do not return the written values' };

/**
 * Replaces and deletes the only resource of a path, such as `/settings`. If reads never change after a PUT, reports
 * that the PUT has no effect, unless the server may be stateless, such as a mock.
 *
 * @returns the reason if the resource could not be checked, otherwise `undefined`
 */
export async function runSingletonSequence(client: ResourceClient): Promise<Absence | undefined> {
  const { item, judge, instances, run } = client;
  const { read, replace, remove } = item;
  if (replace === undefined || isAsynchronous(replace)) return undefined;
  const names = parameterNames(replace.path);
  const outer = names.length === 0 ? { values: [] } : await instances.obtain(replace, judge.send, SEED_OFFSET.first);
  if ('reason' in outer) return outer;
  // The PUT and the read of an unknown id would have different generated ids.
  const given = run.givenValues(replace, SEED_OFFSET.first);
  const id = names.flatMap((name, index) => outer.values[index] ?? given.get(name) ?? []);
  const unknown = names[id.length];
  if (unknown !== undefined) return { reason: describeUnknown(unknown) };
  const rounds: Round[] = [];
  for (const variant of [SEED_OFFSET.first, SEED_OFFSET.second, SEED_OFFSET.late]) {
    const round = await readReplaced(client, id, variant);
    if (round === undefined) return NOT_FOLLOWED;
    rounds.push(round);
  }
  if (new Set(rounds.map(({ text }) => text)).size === 1) {
    const lost = rounds.find(({ difference }) => difference !== undefined);
    if (lost === undefined || !(await hasState(client, rounds))) return NOT_FOLLOWED;
    judge.expect('update_is_visible', lost.read, lost.difference);
    return undefined;
  }
  await checkUpdates(client, id, rounds.at(-1)?.step);
  await checkOmission(client, id);
  // A deleted list may be read as an empty list.
  const isList = (read ? successSchemas(read) : []).some(
    (schema) => itemsOf(schema, run.responseSchemas) !== undefined,
  );
  if (remove === undefined || isList) return undefined;
  await checkDeletion(client, id, []);
  await sendTo(client, replace, id, { variant: SEED_OFFSET.first }); // Restores the resource for later requests.
  return undefined;
}

/** Replaces and reads the resource. Returns `undefined` if a request fails or two reads differ. */
async function readReplaced(client: ResourceClient, id: Id, variant: number): Promise<Round | undefined> {
  const { read, replace } = client.item;
  const before = await sendTo(client, read, id);
  const step = await sendTo(client, replace, id, {
    variant,
    etag: before && replace && isConditional(replace) ? responseEtag(before) : undefined,
    adapt: (input) => (replace ? withOtherChoices(replace, input, before?.json, client.run) : input),
  });
  const [first, second] = [await sendTo(client, read, id), await sendTo(client, read, id)];
  if (!isSuccessfulStep(step) || !isSuccessfulStep(first) || !isSuccessfulStep(second)) return undefined;
  const written = step.testCase.input?.body?.value ?? null;
  const textOf = (json: Json = null): string =>
    stringifyJson(isObject(written) ? Object.keys(written).map((name) => partAt(json, [name])) : json);
  const text = textOf(first.json);
  if (text !== textOf(second.json)) return undefined;
  const told = textOf(step.json);
  const isEchoed = told === textOf(written) && told !== text;
  return { step, read: first, text, difference: differenceBetween(step, first, client), isEchoed };
}

/** Returns whether a PUT responds with the written values, or a read of an unknown id fails at another path. */
async function hasState(client: ResourceClient, rounds: readonly Round[]): Promise<boolean> {
  const { read, replace } = client.item;
  const parameters = [read, replace].flatMap((operation) => operation?.parameters ?? []);
  if (parameters.some(({ in: place, required }) => place === 'query' && required)) return false; // May select a state.
  if (rounds.some(({ isEchoed }) => isEchoed)) return true;
  const other = client.items.find(({ path, read }) => read !== undefined && parameterNames(path).length === 1);
  return other !== undefined && (await missingStatuses({ ...client, item: other }, [])) !== undefined;
}
