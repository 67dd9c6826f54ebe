import { readingsOf } from '@contract-first/model/requests';
import { idText } from '@contract-first/model/resources';
import {
  mergeAllOf,
  isScalar,
  type Json,
  type JsonObject,
  type JsonSchema,
  uuidOf,
  type Values,
} from '@contract-first/model/values';

/** Generates ids. */
export type Identifiers = ReturnType<typeof createIdentifiers>;

/** The schemas of an id: the path parameter and the member of a response. */
export type IdSchemas = { readonly parameter: JsonSchema | undefined; readonly member: JsonSchema | undefined };

const MAX_GENERATED = 50;

/**
 * Creates a generator of ids: increasing integers, or UUIDs if the schemas allow them, or else other valid values.
 *
 * @param requests the request values, which validate parameters
 */
export function createIdentifiers(requests: Values, responses: Values, seed: number) {
  const counts = new Map<string, number>();
  return { next, idIn, isAllowed, restart };

  /** Restarts the counters. */
  function restart(): void {
    counts.clear();
  }

  /** Returns the id of a state: the first of some members with a valid id. */
  function idIn(state: JsonObject, members: readonly string[], schemas: IdSchemas): Json | undefined {
    return members.map((name) => state[name] ?? null).find((id) => isAllowed(schemas, id));
  }

  /**
   * Returns an unused id.
   *
   * @param path the path of the collection, which has its own counter
   * @param slug the text of the id, if any; if it is used, a number follows
   */
  function next(path: string, schemas: IdSchemas, isTaken: (id: Json) => boolean, slug?: string): Json {
    const { parameter = true, member = true } = schemas;
    const least = Math.max(minimumOf(requests, parameter), minimumOf(responses, member));
    let id: Json = 1;
    for (let generations = 0; generations < MAX_GENERATED;) {
      const count = (counts.get(path) ?? 0) + 1;
      counts.set(path, count);
      const text = `${String(seed)} ${path} ${String(count)}`;
      const slugs = slug === undefined ? [] : [isTaken(slug) ? `${slug}-${String(count)}` : slug];
      const candidates = [...slugs, least + count - 1, uuidOf(text), String(count)];
      const known = candidates.find((one) => isAllowed(schemas, one));
      if (known === undefined) generations += 1;
      id = known ?? generate(schemas, text) ?? id;
      if (!isTaken(id)) break;
    }
    return id; // If the schema allows no more ids, the last resource is replaced.
  }

  function isAllowed({ parameter, member }: IdSchemas, id: Json): boolean {
    if (!isScalar(id) || !isInPath(idText(id)) || !responses.allows(member, id)) return false;
    return readingsOf(idText(id)).some((reading) => requests.allows(parameter, reading));
  }

  function generate(schemas: IdSchemas, key: string): Json | undefined {
    const wanted = { key, dynamic: true, isText: true };
    const { member, parameter } = schemas;
    const described = [
      responses.valuesOf({ schema: member ?? true }, wanted),
      requests.valuesOf({ schema: parameter ?? true }, wanted),
    ];
    for (const found of described) for (const value of found) if (isAllowed(schemas, value)) return value;
    return undefined;
  }
}

/** Returns whether a text can be a segment of a URL. */
function isInPath(text: string): boolean {
  return text.isWellFormed() && !['', '.', '..'].includes(text);
}

function minimumOf({ schemas }: Values, schema: JsonSchema): number {
  const { minimum = 1 } = Object(mergeAllOf(schemas, schema)) as { readonly minimum?: unknown };
  return ['number', 'bigint'].includes(typeof minimum) ? Math.max(1, Math.ceil(Number(minimum))) : 1;
}
