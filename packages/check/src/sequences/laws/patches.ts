import type { ApiOperation } from '@contract-first/model/operations';
import type { RequestInput } from '@contract-first/model/requests';
import {
  mergeAllOf,
  isObject,
  isScalar,
  type Json,
  type JsonObject,
  partAt,
  propertiesOf,
  propertyOf,
  requiredBy,
  type JsonSchema,
  type SchemaDocument,
} from '@contract-first/model/values';
import type { Run } from '../../run/run.ts';
import { isAsynchronous } from '../../judgement/statuses.ts';
import {
  MAY_BE_DELAYED,
  responseEtag,
  isConditional,
  isSuccessfulStep,
  readUpdated,
  SEED_OFFSET,
  sendTo,
  type Id,
  type ResourceClient,
} from '../resource-client.ts';
import { differenceBetween } from '../compare-written.ts';
import type { SequenceStep } from '../sequence-step.ts';
import { withOtherChoices } from '../step-input.ts';

/** Returns the value of a member in a patch; `undefined` omits the member. */
type Reduce = (value: Json, required: readonly string[]) => Json | undefined;

const REDUCTIONS: readonly Reduce[] = [
  (value) => (isScalar(value) ? value : undefined),
  (value) => value,
  (value, required) => (isObject(value) ? partOf(value, required) : undefined),
  (value) => (typeof value === 'boolean' ? false : undefined),
];

/**
 * Updates a resource with merge patches (RFC 7396): one member, all members, parts of objects, and booleans set to
 * false. Expects that reads have the new values and keep the other written values.
 */
export async function checkPatches(client: ResourceClient, id: Id, written: SequenceStep | undefined): Promise<void> {
  const { item, judge } = client;
  const { patch } = item;
  if (patch === undefined) return;
  if (isAsynchronous(patch)) judge.skip('update_is_visible', MAY_BE_DELAYED.reason);
  else if (!takesMergePatch(patch))
    judge.skip('update_is_visible', 'its PATCH does not take application/merge-patch+json (RFC 7396)');
  if (isAsynchronous(patch) || !takesMergePatch(patch)) return;
  let before = await sendTo(client, item.read, id);
  if (!isSuccessfulStep(before)) return;
  const body = written?.testCase.input?.body;
  const isKnown = written !== undefined && differenceBetween(written, before, client) === undefined;
  let expected: Json = isKnown && body !== undefined ? body.value : {};
  for (const [index, reduce] of REDUCTIONS.entries()) {
    const current: SequenceStep = before;
    const step = await sendTo(client, patch, id, {
      variant: SEED_OFFSET.patch + index,
      etag: isConditional(patch) ? responseEtag(current) : undefined,
      adapt: (input) =>
        reduced(
          withOtherChoices(patch, input, current.json, client.run),
          reduce,
          index === 0 ? 1 : Infinity,
          client.run,
        ),
    });
    if (!isSuccessfulStep(step)) continue;
    const after = await readUpdated(client, id);
    if (after === undefined) return;
    const previous = isKnown ? { written: expected, read: current.json ?? null } : undefined;
    const sent = step.testCase.input?.body;
    expected = merged(expected, sent?.value ?? {}, sent?.content.schema, client.run.requestSchemas);
    const difference = differenceBetween(step, after, client, { value: expected, previous });
    judge.expect('update_is_visible', after, difference);
    if (difference !== undefined) return;
    before = after;
  }
}

/** Returns whether an operation accepts merge patches. */
export function takesMergePatch({ requestBody }: ApiOperation): boolean {
  return requestBody?.contents.some(({ mediaType }) => mediaType === 'application/merge-patch+json') === true;
}

/**
 * Applies a merge patch. Keeps nulls, since a server may replace them by defaults. Omits members with a default in the
 * patch schema, since a server may reset them to the default.
 */
function merged(value: Json, patch: Json, schema: JsonSchema | undefined, schemas: SchemaDocument): Json {
  if (!isObject(patch)) return patch;
  const properties = propertiesOf(schemas, schema);
  const hasDefault = (name: string): boolean =>
    Object.hasOwn(Object(mergeAllOf(schemas, properties[name] ?? true)) as object, 'default');
  const kept = isObject(value) ? Object.entries(value).filter(([name]) => !hasDefault(name)) : [];
  const changed = Object.entries(patch).map(
    ([name, part]) => [name, merged(partAt(value, [name]), part, properties[name], schemas)] as const,
  );
  return Object.fromEntries([...kept, ...changed]);
}

/** Reduces a body to at most `limit` members. Removes the body if no member is left. */
function reduced(
  { parameters, body }: RequestInput,
  reduce: Reduce,
  limit: number,
  { requestSchemas }: Run,
): RequestInput {
  const members = body !== undefined && isObject(body.value) ? Object.entries(body.value) : [];
  const kept = members.flatMap(([name, value]) => {
    const part = reduce(value, requiredBy(requestSchemas, propertyOf(requestSchemas, body?.content.schema, name)));
    return part === undefined ? [] : [[name, part] as const];
  });
  const value = Object.fromEntries(kept.slice(0, limit));
  return { parameters, body: kept.length > 0 && body ? { ...body, value } : undefined };
}

/** Reduces an object to its required members, or else to its first scalar member. */
function partOf(value: JsonObject, required: readonly string[]): Json | undefined {
  const members = Object.entries(value);
  const needed = members.filter(([name]) => required.includes(name));
  const part = needed.length > 0 ? needed : members.filter(([, member]) => isScalar(member)).slice(0, 1);
  return part.length === 0 ? undefined : Object.fromEntries(part);
}
