import { stringifyJson } from '@contract-first/contract';
import { type Json, partAt } from '@contract-first/model/values';
import { defectOf, type Defect } from '../../judgement/defect.ts';
import type { Instance } from '../instances.ts';
import { isSuccess } from '../../judgement/statuses.ts';
import { differenceBetween, normalizedText } from '../compare-written.ts';
import { currentId, sendTo, type Id, type ResourceClient } from '../resource-client.ts';
import type { SequenceStep } from '../sequence-step.ts';

/** Reads a created resource and compares it with the sent values, unless a later creation may have replaced it. */
export async function readCreated(
  client: ResourceClient,
  instance: Instance,
  missing: readonly number[],
): Promise<SequenceStep | undefined> {
  const { judge, item, instances } = client;
  const step = await sendTo(client, item.read, instance.values);
  if (step === undefined) return undefined;
  const message = describeMissing(step, missing, 'the created resource');
  judge.expect('ensure_resource_availability', step, message);
  const { status } = step.response;
  if (!isSuccess(status)) {
    if (message === undefined) judge.skip('read_your_writes', `its read got status ${String(status)}`);
    return undefined;
  }
  const creation = instances.creationOf(item, instance);
  if (creation !== undefined) {
    const difference =
      differenceBetween(creation, step, client) ??
      otherIdentity(client, currentId(client, instance.values), creation, step);
    judge.expect('read_your_writes', step, difference);
  }
  return step;
}

export function describeMissing(
  { response: { status } }: SequenceStep,
  missing: readonly number[],
  subject: string,
): string | undefined {
  return missing.includes(status) ? `${subject} cannot be read: status ${String(status)}` : undefined;
}

/** Finds an identifying member that differs from the path, although it was equal in the response to the creation. */
function otherIdentity(
  { idMembers }: ResourceClient,
  values: Id,
  creation: SequenceStep,
  read: SequenceStep,
): Defect | undefined {
  const name = idMembers[0] ?? '';
  const id = values.at(-1);
  const memberOf = ({ json = null }: SequenceStep): Json => partAt(json, [name]);
  const isOther = (member: Json): boolean => member !== null && normalizedText(member) !== normalizedText(id ?? null);
  if (!isOther(memberOf(read)) || isOther(memberOf(creation))) return undefined;
  return defectOf(
    `${name} is ${stringifyJson(memberOf(read))}, but the path has ${stringifyJson(id)}`,
    `${name} differs from the id in the path`,
  );
}
