import { parameterNames } from '@contract-first/contract';
import type { ApiOperation } from '@contract-first/model/operations';
import { classify } from '@contract-first/model/cases';
import { type Json, propertiesOf } from '@contract-first/model/values';
import { type RequestInput, withMember } from '@contract-first/model/requests';
import { collectionOf, idText, isNamedFor, type ItemPath, shapeOf } from '@contract-first/model/resources';
import type { Run } from '../run/run.ts';
import { isLong } from './identity.ts';
import type { Send } from './sequence-step.ts';
import { withNamedValue } from './step-input.ts';

/** Values that exist on the server, such as ids, by the names of body members and parameters. */
export type References = ReadonlyMap<string, Json>;

/**
 * Finds {@link References} for an operation. Creates or finds each resource once.
 *
 * @param values the values of the first path parameters
 */
export type FindReferences = (
  operation: ApiOperation,
  values: readonly Json[],
  send: Send,
  variant: number,
) => Promise<References>;

/** Creates or finds a resource below the given parent. Returns its id, or `undefined`. */
type ObtainId = (item: ItemPath, send: Send, variant: number, parent: readonly Json[]) => Promise<Json | undefined>;

// Avoids the variants of the resources in the operation's own path.
const VARIANT_OFFSET = 100_000;

/** Creates {@link FindReferences}. */
export function createFindReferences(
  items: readonly ItemPath[],
  { requestSchemas, givenValues }: Run,
  obtainId: ObtainId,
): FindReferences {
  const cache = new Map<ItemPath, Json | undefined>();
  return async (operation, values, send, variant) => {
    const found = new Map(givenValues(operation, variant));
    for (const name of namesIn(operation)) {
      if (found.has(name)) continue;
      const item = items.find((one) => isNamedFor(name, one) && isOther(one, operation));
      const id = item && (await idOf(item, operation, values, send, variant));
      if (id !== undefined) found.set(name, id);
    }
    return found;
  };

  function namesIn({ parameters, requestBody }: ApiOperation): ReadonlySet<string> {
    const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    const bodies = (requestBody?.contents ?? []).map(({ schema }) => propertiesOf(requestSchemas, schema));
    return new Set([...query, ...bodies.flatMap((properties) => Object.keys(properties))]);
  }

  async function idOf(
    item: ItemPath,
    operation: ApiOperation,
    values: readonly Json[],
    send: Send,
    variant: number,
  ): Promise<Json | undefined> {
    const count = parameterNames(item.path).length;
    if (isWithin(operation.path, item.path)) return values[count - 1];
    if (values.length < count - 1) return undefined;
    if (cache.has(item)) return cache.get(item);
    cache.set(item, undefined); // Ends recursion, since resources may refer to each other.
    const id = await obtainId(item, send, variant + VARIANT_OFFSET, values.slice(0, count - 1));
    if (id === undefined || isLong(id)) return undefined;
    cache.set(item, id);
    return id;
  }
}

/** Replaces values by references, if this does not change whether the request is valid. */
export function withReferences(
  operation: ApiOperation,
  input: RequestInput,
  references: References,
  { requestOracle, givenValues, onGivenValue }: Run,
): RequestInput {
  if (references.size === 0) return input; // Avoids a costly validation.
  const kind = classify(operation, requestOracle, input);
  const given = givenValues(operation, 0);
  return [...references].reduce((result, [name, id]) => {
    const place = given.has(name) ? undefined : 'query';
    const changed = [id, idText(id)].map((value) =>
      withNamedValue(withMember(result, name, value), name, value, place),
    );
    const other = changed.find((one) => one !== result && classify(operation, requestOracle, one) === kind);
    if (other !== undefined && given.has(name)) onGivenValue(operation, name);
    return other ?? result;
  }, input);
}

/** Returns whether a resource is not the operation's own, and the operation's path contains its outer ids. */
function isOther(item: ItemPath, { path }: ApiOperation): boolean {
  const collection = collectionOf(item.path);
  const outer = collection.slice(0, collection.lastIndexOf('}') + 1);
  return shapeOf(path) !== shapeOf(item.path) && shapeOf(path) !== shapeOf(collection) && isWithin(path, outer);
}

function isWithin(path: string, outer: string): boolean {
  return `${shapeOf(path)}/`.startsWith(outer === '' ? '' : `${shapeOf(outer)}/`);
}
