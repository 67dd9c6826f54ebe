import fc from 'fast-check';
import type { ApiOperation } from '@contract-first/model/operations';
import type { RequestInput } from '@contract-first/model/requests';
import {
  tryGenerate,
  createArbitraries,
  mergeAllOf,
  isNumber,
  isObject,
  isScalar,
  type Json,
  membersOf,
  partAt,
  propertyOf,
  type JsonSchema,
} from '@contract-first/model/values';
import { isAsynchronous } from '../../judgement/statuses.ts';
import {
  responseEtag,
  isConditional,
  isSuccessfulStep,
  SEED_OFFSET,
  sendTo,
  type Id,
  type ResourceClient,
} from '../resource-client.ts';
import { responseSchemaOf, type SequenceStep } from '../sequence-step.ts';
import { isSame } from '../compare-written.ts';

type Member = { readonly name: string; readonly schema: JsonSchema; readonly value: Json };

/** A request with read-only members, the read after it, and the names of the members that have the sent values. */
type Attempt = {
  readonly step: SequenceStep;
  readonly read: SequenceStep | undefined;
  readonly names: readonly string[];
};

const SAMPLES = 20;
// A number may be a counter, so the sent value must differ by at least this distance.
const LEAST_DISTANCE = 10;
const USUAL_DISTANCE = 1_009;

/**
 * Sends read-only members with changed values. A server may reject or ignore them (OpenAPI 3.1, 4.8.24.5), but must not
 * store them.
 *
 * @param operation an update, or the creation
 * @param creation a creation that can be repeated, if the operation creates resources
 */
export async function checkReadOnly(
  client: ResourceClient,
  id: Id,
  operation: ApiOperation | undefined,
  creation: SequenceStep | undefined,
): Promise<void> {
  if (operation === undefined || isAsynchronous(operation)) return;
  const first = await attemptWith(client, id, operation, creation, 0);
  // A single equal value may be a coincidence.
  const last = first?.names.length === 0 ? first : await attemptWith(client, id, operation, creation, 1);
  if (first === undefined || last === undefined) return;
  const name = last.names.find((one) => first.names.includes(one));
  const message = name === undefined ? undefined : `the read-only ${name} is read with the value that the client sent`;
  client.judge.expect('read_only_members', last.read ?? last.step, message, [last.step]);
}

/** Updates or re-creates a resource with read-only members. Returns `undefined` if it has no read-only members. */
async function attemptWith(
  client: ResourceClient,
  id: Id,
  operation: ApiOperation,
  creation: SequenceStep | undefined,
  index: number,
): Promise<Attempt | undefined> {
  const { item, instances, judge, run } = client;
  const before = await sendTo(client, item.read, id);
  const input = creation?.testCase.input;
  // An update has the id in its path, so only a creation can choose another id.
  const isUpdate = input === undefined;
  const members = isSuccessfulStep(before) ? otherMembers(before, client, index, isUpdate) : [];
  if (!isSuccessfulStep(before) || members.length === 0) return undefined;
  const added = Object.fromEntries(members.map(({ name, value }) => [name, value]));
  const adapt = ({ parameters, body }: RequestInput): RequestInput => ({
    parameters,
    body: body && isObject(body.value) ? { ...body, value: { ...body.value, ...added } } : undefined,
  });
  const send = judge.sendUndecided;
  const etag = isConditional(operation) ? responseEtag(before) : undefined;
  const step = input
    ? await send(operation, adapt(input))
    : await sendTo({ ...client, judge: { ...judge, send } }, operation, id, {
        variant: SEED_OFFSET.readOnly,
        etag,
        adapt,
      });
  if (step === undefined) return undefined;
  const place = isSuccessfulStep(step) ? (input ? instances.identities(step, item)[0]?.values : id) : undefined;
  const read = place && (await sendTo(client, item.read, place));
  const isTaken = ({ name, schema, value }: Member): boolean =>
    isSame(value, partAt(read?.json ?? null, [name]), run.responseSchemas, schema, true);
  return { step, read, names: members.filter(isTaken).map(({ name }) => name) };
}

/** Returns the read-only members of a resource with changed values, without the id if it is an update. */
function otherMembers(
  read: SequenceStep,
  { run, idMembers, item }: ResourceClient,
  index: number,
  isUpdate: boolean,
): readonly Member[] {
  const { responseSchemas, responseOracle, requestOracle, seed } = run;
  const arbitraries = createArbitraries(responseSchemas, responseOracle);
  const options = { text: 'well-formed', extras: false, plain: true } as const;
  const idParameter = item.read?.parameters.find((one) => one.in === 'path' && one.name === item.parameter);
  return membersOf(read.json ?? null).flatMap(([key, current]): readonly Member[] => {
    const name = String(key);
    const isId = idMembers.includes(name);
    const schema = propertyOf(responseSchemas, responseSchemaOf(read), name) ?? false;
    const { readOnly } = Object(mergeAllOf(responseSchemas, schema)) as { readonly readOnly?: boolean };
    if (readOnly !== true || (isUpdate && isId)) return [];
    const isOther = (value: Json): boolean =>
      isScalar(value) &&
      value !== '' &&
      !isSame(value, current, responseSchemas, schema, true) &&
      !(isNumber(value) && Math.abs(Number(value) - Number(current)) < LEAST_DISTANCE) &&
      responseOracle.allows(schema, value) &&
      (!isId || idParameter === undefined || requestOracle.allows(idParameter.schema, value));
    const sample = { seed: seed + index, numRuns: SAMPLES };
    const samples = tryGenerate(() => fc.sample(arbitraries(schema, options), sample)) ?? [];
    const value = [...distantNumbers(current, index + 1), ...samples].find(isOther);
    return value === undefined ? [] : [{ name, schema, value }];
  });
}

/** Returns a larger and a smaller number. */
function distantNumbers(current: Json, factor: number): readonly Json[] {
  if (!isNumber(current)) return [];
  const distance = USUAL_DISTANCE * factor;
  return typeof current === 'bigint'
    ? [current + BigInt(distance), current - BigInt(distance)]
    : [current + distance, current - distance];
}
