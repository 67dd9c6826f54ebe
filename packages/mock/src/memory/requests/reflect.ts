import { identityPlace, idText, type ItemPath } from '@contract-first/model/resources';
import type { ApiOperation } from '@contract-first/model/operations';
import {
  allPropertiesOf,
  isObject,
  type Json,
  type JsonObject,
  partAt,
  type Place,
  replaceAt,
} from '@contract-first/model/values';
import type { Respond } from '../../responses/respond.ts';
import type { Model } from '../resources/model.ts';
import { pathValues } from '../state/paths.ts';
import { omitFiles, mergePatch } from './request-body.ts';

/**
 * Creates a response function for requests without a stored resource. The response has the members that the request
 * sent and the id in its path, where the schema allows them.
 *
 * @param item the item path of the operation, if any
 */
export function createReflect(
  operation: ApiOperation,
  item: ItemPath | undefined,
  { represent, schemaAt, requests, responses }: Model,
  respond: Respond,
): Respond {
  const schemas = { requestSchemas: requests.schemas, responseSchemas: responses.schemas };
  return (request, change) => {
    if (change !== undefined) return respond(request, change);
    const sent = operation.method === 'DELETE' ? undefined : omitFiles(request.body);
    const idPlace = item && identityPlace(operation, item, schemas);
    const isGenerated = idPlace === undefined && (sent === undefined || !isObject(sent));
    return isGenerated ? respond(request) : respond(request, { body });

    function body(generated: Json, { schema }: { readonly schema?: Parameters<typeof represent>[0] }): Json {
      const value = sent !== undefined && isObject(sent) ? withSent(generated, sent, schema) : generated;
      const id = pathValues(operation.path, request).at(-1) ?? null;
      if (idPlace === undefined || id === null) return value;
      const candidates = [id, idText(id)].map((one) => replaceAt(value, idPlace, one));
      return candidates.find((one) => responses.allows(schema, one)) ?? value;
    }
  };

  /** Replaces members of a generated value by sent members of the same name, if the result is valid. */
  function withSent(generated: Json, sent: JsonObject, schema: Parameters<typeof represent>[0]): Json {
    const [inner, ...others] = Object.values(sent);
    const states = inner !== undefined && others.length === 0 && isObject(inner) ? [sent, inner] : [sent];
    const names = isObject(generated) ? Object.keys(generated) : [];
    const places: readonly Place[] = [[], ...names.map((name) => [name])];
    for (const state of states) {
      for (const place of places) {
        const part = partAt(generated, place);
        const declared = allPropertiesOf(responses.schemas, schemaAt(schema, place.map(String)));
        if (!isObject(part) || !Object.keys(state).some((name) => Object.hasOwn(declared, name))) continue;
        const whole = represent(schemaAt(schema, place.map(String)), part, mergePatch(part, state));
        const value = replaceAt(generated, place, whole);
        return responses.allows(schema, value) ? value : generated;
      }
    }
    return generated;
  }
}
