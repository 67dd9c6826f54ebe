import { stringifyJson } from '@contract-first/contract';
import { isObject, membersOf, partAt, requiredBy } from '@contract-first/model/values';
import type { ApiOperation } from '@contract-first/model/operations';
import type { RequestInput } from '@contract-first/model/requests';
import {
  responseEtag,
  isConditional,
  isSuccessfulStep,
  SEED_OFFSET,
  sendTo,
  type Id,
  type ResourceClient,
} from '../resource-client.ts';
import { differenceBetween } from '../compare-written.ts';
import { responseSchemaOf, type SequenceStep } from '../sequence-step.ts';
import { isAsynchronous } from '../../judgement/statuses.ts';
import { withNulls, withOtherChoices } from '../step-input.ts';
import { takesMergePatch } from './patches.ts';

/** Removes members from an update, or sets them to null. */
type Reduce = (input: RequestInput, read: SequenceStep, client: ResourceClient) => RequestInput;

/** The read after an update, and the text of the omitted members before and after it. */
type Round = {
  readonly read: SequenceStep;
  readonly members: readonly { readonly name: string; readonly before: string; readonly after: string }[];
};

// Several attempts, since booleans and enum values of two updates may be equal.
const ATTEMPTS = 6;

/**
 * Replaces a resource without its optional members, and updates nullable members to null. Expects that these members
 * lose their values, since a PUT replaces the whole resource (RFC 9110, 9.3.4), and a merge patch removes null members
 * (RFC 7396). Servers may set defaults, so only a member that keeps two different values is a failure.
 */
export async function checkOmission(client: ResourceClient, id: Id): Promise<void> {
  const { replace, patch } = client.item;
  const withNull: Reduce = (input) => withNulls(input, client.run);
  const onlyNull: Reduce = (input, read) => onlyNulls(withNull(input, read, client));
  if (replace !== undefined) {
    await expectOmitted(client, id, replace, withoutOptional);
    await expectOmitted(client, id, replace, withNull);
  }
  if (patch !== undefined && takesMergePatch(patch)) await expectOmitted(client, id, patch, onlyNull);
}

async function expectOmitted(client: ResourceClient, id: Id, operation: ApiOperation, reduce: Reduce): Promise<void> {
  if (isAsynchronous(operation)) return;
  const kept = new Map<string, string>();
  const lost = new Set<string>();
  let read: SequenceStep | undefined;
  let message: string | undefined;
  for (let attempt = 0; attempt < ATTEMPTS && message === undefined; attempt += 1) {
    const round = await omit(client, id, operation, reduce, SEED_OFFSET.omission + attempt);
    if (round === undefined) break;
    read = round.read;
    for (const { name, before, after } of round.members.filter(({ before }) => before !== 'null')) {
      if (before !== after) lost.add(name);
      else if (!lost.has(name) && (kept.get(name) ?? before) !== before)
        message = `${operation.method} has left out ${name} or made it null, and it is read as before`;
      else kept.set(name, before);
    }
    if (round.members.every(({ name }) => lost.has(name))) break;
  }
  if (read !== undefined) client.judge.expect('update_is_visible', read, message);
}

/** Updates a resource with all members, then with fewer. Returns `undefined` if a request is invalid or fails. */
async function omit(
  client: ResourceClient,
  id: Id,
  operation: ApiOperation,
  reduce: Reduce,
  variant: number,
): Promise<Round | undefined> {
  const current = await sendTo(client, client.item.read, id);
  if (!isSuccessfulStep(current)) return undefined;
  const full = await update(current, (input) => withOtherChoices(operation, input, current.json, client.run));
  const before = isSuccessfulStep(full) ? await sendTo(client, client.item.read, id) : undefined;
  if (!isSuccessfulStep(full) || !isSuccessfulStep(before)) return undefined;
  const difference = differenceBetween(full, before, client);
  client.judge.expect('update_is_visible', before, difference);
  if (difference !== undefined) return undefined;
  const less = await update(before, (input) => reduce(input, before, client));
  const read = isSuccessfulStep(less) ? await sendTo(client, client.item.read, id) : undefined;
  if (!isSuccessfulStep(less) || !isSuccessfulStep(read)) return undefined;
  const [fuller = null, sent = null] = [full, less].map((step) => step.testCase.input?.body?.value);
  const isOmitted = (name: string | number): boolean =>
    partAt(sent, [name]) === null && (operation.method === 'PUT' || membersOf(sent).some(([one]) => one === name));
  const omitted = membersOf(fuller).flatMap(([name]) => (isOmitted(name) ? [String(name)] : []));
  const textIn = ({ json = null }: SequenceStep, name: string): string => stringifyJson(partAt(json, [name]));
  return {
    read,
    members: omitted.map((name) => ({ name, before: textIn(before, name), after: textIn(read, name) })),
  };

  function update(one: SequenceStep, adapt: (input: RequestInput) => RequestInput): Promise<SequenceStep | undefined> {
    return sendTo(client, operation, id, {
      variant,
      etag: isConditional(operation) ? responseEtag(one) : undefined,
      adapt,
    });
  }
}

/** Removes all members of a body that are not null. */
function onlyNulls({ parameters, body }: RequestInput): RequestInput {
  const nulls = membersOf(body?.value ?? null).filter(([, value]) => value === null);
  return { parameters, body: body && { ...body, value: Object.fromEntries(nulls) } };
}

/** Removes members that neither the PUT nor the read requires, except identifying members. */
function withoutOptional(
  { parameters, body }: RequestInput,
  read: SequenceStep,
  { idMembers, run }: ResourceClient,
): RequestInput {
  if (body === undefined || !isObject(body.value)) return { parameters, body };
  const needed = new Set([
    ...idMembers,
    ...requiredBy(run.requestSchemas, body.content.schema),
    ...requiredBy(run.responseSchemas, responseSchemaOf(read)),
  ]);
  const value = Object.fromEntries(Object.entries(body.value).filter(([name]) => needed.has(name)));
  return { parameters, body: { ...body, value } };
}
