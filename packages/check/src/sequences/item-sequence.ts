import { parameterNames, stringifyJson } from '@contract-first/contract';
import { type Json, partAt, placesOf } from '@contract-first/model/values';
import { idText } from '@contract-first/model/resources';
import { headerParameter } from '@contract-first/model/operations';
import { pathValue } from '@contract-first/model/requests';
import { checkConditionalRead, checkUpdates } from './laws/replacement.ts';
import { checkDeletion } from './laws/deletion.ts';
import { checkOmission } from './laws/omission.ts';
import { checkReadOnly } from './laws/read-only.ts';
import { isSameResource } from './identity.ts';
import type { Absence, Instance } from './instances.ts';
import { differenceBetween, isDone, list, MISSING, SALT, sendTo, type Id, type Scene } from './scene.ts';
import type { Send, Step } from './send.ts';
import { isAsynchronous } from '../judgement/statuses.ts';
import { IDEMPOTENCY_KEY } from '../run/idempotency-keys.ts';
import { unusedValue, withNulls, withParameter } from './step-input.ts';

const MAX_PLACES = 200;

/** `stateless` when reads succeed for any id, or the reason why nothing was judged; otherwise `undefined`. */
export type ScenarioOutcome = 'stateless' | Absence | undefined;

/**
 * Creates two resources, reads, lists and updates one, deletes it and looks at the other one. Nothing is judged where the
 * document lets the server act later (202), or where its reads do not tell what exists from what never did.
 */
export async function runScenario(scene: Scene): Promise<ScenarioOutcome> {
  const { item, judge, instances } = scene;
  const { create, read: readOperation } = item;
  if (create === undefined || readOperation === undefined || isAsynchronous(create)) return undefined;
  const parent = await instances.createParent(item, judge.send, SALT.first);
  if ('reason' in parent) return parent;
  await list(scene, parent, false); // It is judged as every response is, while it is empty.
  const sendNew = sendCreation(scene);
  const first = await instances.create(item, sendNew, SALT.first, parent);
  if ('reason' in first) return first;
  const missing = await missingStatuses(scene, first.values.slice(0, -1));
  if (missing === undefined) return 'stateless';

  const read = await readCreated(scene, first, missing);
  if (read === undefined) return undefined;
  for (const other of first.others) {
    if (isSameResource(other.values, first.values)) continue;
    const step = await sendTo(scene, readOperation, other.values);
    if (step !== undefined) {
      judge.expect(
        'ensure_resource_availability',
        step,
        describeMissing(step, missing, `${other.source} names a resource that`),
      );
    }
  }
  const second = await instances.create(item, sendNew, SALT.second, parent, (input) => withNulls(input, scene.run));
  if (item.replace !== create && item.replace?.path === readOperation.path && item.replace.responses[201] !== undefined)
    await instances.create({ ...item, create: item.replace }, sendNew, SALT.anew, first.values.slice(0, -1));
  const hasSecond = 'values' in second && second.creation !== undefined && isOwn(first, second);
  const others = hasSecond ? [second] : [];
  if (hasSecond) {
    await readCreated(scene, second, missing);
    await readCreated(scene, first, missing);
  }
  for (const isSmall of [false, true]) await expectListed(scene, [first, ...others], isSmall);
  await checkConditionalRead(scene, read);
  await checkUpdates(scene, first.values, first.creation);
  await checkOmission(scene, first.values);
  for (const other of others) await readCreated(scene, other, missing);
  const isRepeated = first.creation && create.method === 'POST' && isDone(await judge.repeat(first.creation));
  await checkReadOnly(scene, first.values, isRepeated === true ? first.creation : undefined);
  await checkIdempotencyKey(scene, parent);
  await checkDeletion(scene, first.values, missing);
  for (const other of others) {
    await readCreated(scene, other, missing);
    await expectListed(scene, [other], false);
  }
  return undefined;
}

/** Creates {@link Send}. A PUT that creates a resource must get 201 (RFC 9110, 9.3.4): it could not be read before. */
function sendCreation(scene: Scene): Send {
  const { item, judge } = scene;
  return async (operation, input, headers) => {
    if (operation !== item.replace || isAsynchronous(operation)) return judge.send(operation, input, headers);
    const id = parameterNames(operation.path).map((name) => pathValue(input, name) ?? null);
    const before = await sendTo(scene, item.read, id);
    const step = await judge.send(operation, input, headers);
    const isNew = before !== undefined && MISSING.includes(before.response.status);
    if (!isNew || !isDone(step) || !isDone(await sendTo(scene, item.read, id))) return step;
    const { status } = step.response;
    const message = `a PUT that creates a resource gets ${String(status)}, not 201`;
    judge.expect('status_code_conformance', step, status === 201 ? undefined : message, [before]);
    return step;
  };
}

/** Whether the second creation has made another resource. Another one may get the same id if the client has chosen it. */
function isOwn(first: Instance, { values, creation }: Instance): boolean {
  if (!isSameResource(values, first.values)) return true;
  const sent = creation?.testCase.input?.body?.value ?? null;
  const parts = placesOf(sent, MAX_PLACES).map((place) => idText(partAt(sent, place)));
  return creation?.response.status === 201 && !parts.includes(idText(values.at(-1)));
}

/** Reads a resource that never existed; returns the statuses that say so, `undefined` when it is read like any other. */
export async function missingStatuses(scene: Scene, parent: Id): Promise<readonly number[] | undefined> {
  const { item, run } = scene;
  const parameter = item.read?.parameters.find((one) => one.in === 'path' && one.name === item.parameter);
  const value = parameter && unusedValue(parameter, run);
  const step = value === undefined ? undefined : await sendTo(scene, item.read, [...parent, value]);
  if (step === undefined || step.response.status < 400 || step.response.status >= 500) return undefined;
  return [...MISSING, step.response.status];
}

/** Reads a resource after its creation, and compares it. */
async function readCreated(
  scene: Scene,
  { values, creation }: Instance,
  missing: readonly number[],
): Promise<Step | undefined> {
  const { judge, item } = scene;
  const step = await sendTo(scene, item.read, values);
  if (step === undefined) return undefined;
  const message = describeMissing(step, missing, 'the created resource');
  judge.expect('ensure_resource_availability', step, message);
  if (!isDone(step)) return undefined;
  if (creation !== undefined) {
    const difference = differenceBetween(creation, step, scene) ?? otherIdentity(scene, values, creation, step);
    judge.expect('read_your_writes', step, difference);
  }
  return step;
}

function describeMissing(
  { response: { status } }: Step,
  missing: readonly number[],
  subject: string,
): string | undefined {
  return missing.includes(status) ? `${subject} cannot be read: status ${String(status)}` : undefined;
}

/** Finds an identifying member that differs from the path, and did not when the resource was created. */
function otherIdentity({ idMembers }: Scene, values: Id, creation: Step, read: Step): string | undefined {
  const name = idMembers[0] ?? '';
  const id = values.at(-1);
  const memberOf = ({ json = null }: Step): Json => partAt(json, [name]);
  const isOther = (member: Json): boolean =>
    member !== null && idText(member).toLowerCase() !== idText(id).toLowerCase();
  if (!isOther(memberOf(read)) || isOther(memberOf(creation))) return undefined;
  return `${name} is ${stringifyJson(memberOf(read))}, but the path has ${stringifyJson(id)}`;
}

/** Reads the list and expects resources in it; nothing if it may be incomplete. */
async function expectListed(scene: Scene, expected: readonly Instance[], isSmall: boolean): Promise<void> {
  const parent = expected[0]?.values.slice(0, -1) ?? [];
  const listing = await list(scene, expected[0]?.values ?? [], isSmall);
  const last = listing?.pages.at(-1);
  if (listing === undefined || last === undefined) return;
  // Where nothing gives an id for the parent, each resource has another one.
  const beside = expected.filter(({ values }) => isSameResource(values.slice(0, -1), parent));
  const absent = beside.find(({ values }) => !listing.ids.has(idText(values.at(-1))));
  const pages = listing.pages.length > 1 ? ` of ${String(listing.pages.length)} pages` : '';
  const lacking = absent && `the list${pages} lacks the created ${stringifyJson(absent.values.at(-1))}`;
  scene.judge.expect('list_contains_created', last, listing.fault ?? lacking, listing.pages);
}

/** Creates a resource twice with the same idempotency key, if the document has one. */
async function checkIdempotencyKey(scene: Scene, parent: Id): Promise<void> {
  const { item, judge, instances } = scene;
  const key = item.create && headerParameter(item.create, IDEMPOTENCY_KEY);
  if (item.create === undefined || key === undefined) return;
  const third = await instances.create(item, judge.send, SALT.late, parent);
  const input = 'values' in third ? third.creation?.testCase.input : undefined;
  const value = input?.parameters.find(({ parameter }) => parameter === key)?.value;
  if (!('values' in third) || input === undefined || value === undefined) return;
  const again = await judge.send(item.create, withParameter(input, key, value));
  if (!isDone(again)) return;
  const [identity] = instances.identities(again, item);
  const isOther = identity !== undefined && !isSameResource(identity.values, third.values);
  const message = isOther
    ? `the same idempotency key created ${stringifyJson(identity.values.at(-1))} as well`
    : undefined;
  judge.expect('idempotency_key', again, message);
}
