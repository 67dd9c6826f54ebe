import { setTimeout as sleep } from 'node:timers/promises';
import { parameterNames, stringifyJson } from '@contract-first/contract';
import { type ApiOperation, headerParameter } from '@contract-first/model/operations';
import { isScalar, type Json, partAt } from '@contract-first/model/values';
import { type RequestInput, withMember } from '@contract-first/model/requests';
import { identityPlace, idText, type ItemPath } from '@contract-first/model/resources';
import { headerOf } from '../judgement/conformance.ts';
import type { Run } from '../run/run.ts';
import type { Absence, Instances } from './instances.ts';
import type { SequenceJudge } from './judge.ts';
import { listAll, type Listing, type PageSize } from './list-all.ts';
import { withReferences } from './references.ts';
import type { SequenceStep } from './sequence-step.ts';
import { isSuccess, MISSING } from '../judgement/statuses.ts';
import { differentInput, unusedValues, withParameter, withPathValues, type PlainInputs } from './step-input.ts';

/** A client for the resources of a path. It sends the requests of a sequence and judges the responses. */
export type ResourceClient = {
  readonly item: ItemPath;
  /** The paths of all resources. */
  readonly items: readonly ItemPath[];
  /** The operations that the run may call. */
  readonly operations: readonly ApiOperation[];
  /** The possible names of the identifying member. */
  readonly idMembers: readonly string[];
  readonly run: Run;
  readonly judge: SequenceJudge;
  readonly instances: Instances;
  readonly plainInputs: PlainInputs;
  /** The new ids of resources whose id an update changed, by the JSON text of the earlier id. */
  readonly moved: Map<string, Id>;
  /** Returns a client for a new sequence with different values and a separate judge. */
  readonly renew: () => ResourceClient;
};

/** The reason why the effects of an operation cannot be judged. */
export const MAY_BE_DELAYED: Absence = { reason: '202 is documented, so an effect may come later' };

/** The failure if a request with an outdated If-Match succeeds. */
export const STALE_IS_ACCEPTED = 'another ETag in If-Match is accepted, not refused with 412';

const REFRESH_MS = 1_200;

/** The path parameter values of a resource, in path order. */
export type Id = readonly Json[];

/** The seed offsets of generated values. Steps with the same offset send the same values. */
export const SEED_OFFSET = {
  first: 1,
  second: 2,
  update: 31,
  stale: 32,
  late: 34,
  listed: 90,
  unlike: 100,
  equal: 101,
  inside: 102,
  owned: 35,
  trespass: 36,
  omission: 37,
  anew: 49,
  patch: 50,
  readOnly: 70,
} as const;

/**
 * Sends a request for a resource, with plain generated values for the other parameters and the body. If an update changes
 * the id of the resource, as a slug may follow a title, later requests have the new id.
 */
export async function sendTo(
  client: ResourceClient,
  operation: ApiOperation | undefined,
  id: Id,
  options: SendOptions = {},
): Promise<SequenceStep | undefined> {
  const { item } = client;
  const current = currentId(client, id);
  const step = await sendAt(client, operation, current, options);
  if (!isSuccessfulStep(step) || ![item.replace, item.patch].includes(operation)) return step;
  const other = namedId(step, client, current);
  if (other === undefined || item.read === undefined) return step;
  const old = await sendAt(client, item.read, current, {});
  if (old !== undefined && MISSING.includes(old.response.status)) client.moved.set(stringifyJson(current), other);
  return step;
}

/** Returns the present id of a resource. */
export function currentId({ moved }: ResourceClient, id: Id): Id {
  let current = id;
  for (let next = moved.get(stringifyJson(id)); next !== undefined; next = moved.get(stringifyJson(current)))
    current = next;
  return current;
}

/** Returns the id in the response to an update, if it differs from the current id. */
function namedId({ operation, json = null }: SequenceStep, { item, run }: ResourceClient, id: Id): Id | undefined {
  const place = identityPlace(operation, item, run);
  const value = place === undefined ? null : partAt(json, place);
  const isOther = value !== null && isScalar(value) && idText(value) !== idText(id.at(-1));
  return isOther ? [...id.slice(0, -1), value] : undefined;
}

async function sendAt(
  { idMembers, instances, judge, plainInputs, run }: ResourceClient,
  operation: ApiOperation | undefined,
  id: Id,
  { variant = 0, etag, unlike, adapt = (input) => input }: SendOptions,
): Promise<SequenceStep | undefined> {
  const plain = operation && differentInput(plainInputs, operation, variant, unlike);
  if (operation === undefined || plain === undefined) return undefined;
  const references = await instances.references(operation, id, judge.send, variant);
  const named = idMembers.reduce(
    (input, name) => withMember(input, name, id.at(-1) ?? null),
    withReferences(operation, withPathValues(operation, plain, id), references, run),
  );
  const condition = headerParameter(operation, 'if-match');
  const isConditional = etag !== undefined && condition !== undefined;
  const headers = etag === undefined || isConditional ? [] : [['If-Match', etag] as const];
  return judge.send(operation, adapt(isConditional ? withParameter(named, condition, etag) : named), headers);
}

type SendOptions = {
  readonly variant?: number;
  /** The value of `If-Match`. */
  readonly etag?: string | undefined;
  /** A value from which the generated body should differ. */
  readonly unlike?: Json | undefined;
  readonly adapt?: (input: RequestInput) => RequestInput;
};

/** Returns whether a step got a successful response. */
export function isSuccessfulStep(step: SequenceStep | undefined): step is SequenceStep {
  return step !== undefined && isSuccess(step.response.status);
}

/** Returns the strong entity tag of a response (RFC 9110, 8.8.3). */
export function responseEtag({ response }: Pick<SequenceStep, 'response'>): string | undefined {
  const etag = headerOf(response, 'etag');
  return etag?.startsWith('"') === true ? etag : undefined;
}

/** Returns whether an operation documents 412 or `If-Match`. */
export function isConditional(operation: ApiOperation): boolean {
  return operation.responses[412] !== undefined || headerParameter(operation, 'if-match') !== undefined;
}

/** Returns an entity tag that differs from the given tag. */
export function otherTag(etag: string): string {
  return `${etag.slice(0, -1)}0"`;
}

/** Reads a resource after an update. Returns `undefined` if the read fails. */
export async function readUpdated(client: ResourceClient, id: Id): Promise<SequenceStep | undefined> {
  const after = await sendTo(client, client.item.read, id);
  if (after === undefined) return undefined;
  const { status } = after.response;
  const message = `after its update, the resource cannot be read: status ${String(status)}`;
  client.judge.expect('ensure_resource_availability', after, MISSING.includes(status) ? message : undefined);
  return isSuccessfulStep(after) ? after : undefined;
}

/**
 * Reads all pages of the collection's list.
 *
 * @param adapt changes the request of the first page
 */
export async function readList(
  { item, idMembers, run, judge, plainInputs }: ResourceClient,
  id: Id,
  size: PageSize = 'large',
  adapt: (input: RequestInput) => RequestInput = (input) => input,
): Promise<Listing | undefined> {
  const [plain] = item.list === undefined ? [] : plainInputs(item.list, 0);
  if (item.list === undefined || plain === undefined) return undefined;
  const outer = id.slice(0, parameterNames(item.list.path).length);
  const first = adapt(withPathValues(item.list, plain, outer));
  return listAll(item.list, first, idMembers, { send: judge.send, run, size });
}

/**
 * Reads the list. If it differs from the expected state, reads it again after a second: many lists come from a search
 * index, which is refreshed once a second.
 */
export async function readListWhen(
  client: ResourceClient,
  id: Id,
  isExpected: (listing: Listing) => boolean,
  size?: PageSize,
): Promise<Listing | undefined> {
  const listing = await readList(client, id, size);
  const { item, judge, run } = client;
  const mayWait = listing !== undefined && listing.fault === undefined && !isExpected(listing);
  if (!mayWait || item.list === undefined || !run.mayWait(item.list, REFRESH_MS)) return listing;
  await sleep(REFRESH_MS);
  const later = await readList(client, id, size);
  if (later !== undefined && isExpected(later)) judge.skip('list_contains_created', 'its list changes later');
  return later;
}

/** Reads unknown ids. Returns the statuses for missing resources, or `undefined` if no read gets a 4xx. */
export async function missingStatuses(client: ResourceClient, parent: Id): Promise<readonly number[] | undefined> {
  const { item, run } = client;
  const parameter = item.read?.parameters.find((one) => one.in === 'path' && one.name === item.parameter);
  for (const value of parameter === undefined ? [] : unusedValues(parameter, run)) {
    const step = await sendTo(client, item.read, [...parent, value]);
    const status = step?.response.status ?? 0;
    if (status >= 400 && status < 500) return [...MISSING, status];
  }
  return undefined;
}
