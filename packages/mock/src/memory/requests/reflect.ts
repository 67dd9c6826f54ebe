import { kindOf } from '@contract-first/contract';
import type { ApiOperation } from '@contract-first/model/operations';
import { identityPlace, idText, type ItemPath, successSchemas } from '@contract-first/model/resources';
import {
  allPropertiesOf,
  type Described,
  isObject,
  type Json,
  type JsonObject,
  partAt,
  type Place,
  replaceAt,
} from '@contract-first/model/values';
import type { Respond } from '../../responses/respond.ts';
import type { RespondToMock } from '../reply.ts';
import { pathValues } from '../state/paths.ts';
import { withAccount } from './account.ts';
import { listGenerated } from './list.ts';
import type { OperationContext } from './operation-context.ts';
import { omitFiles, mergePatch } from './request-body.ts';

/**
 * Creates a response function for requests without a stored resource. The response has the members that the request
 * sent, the id in its path, and the members of the user if it is the id of the user, where the schema allows them. A
 * generated list has the requested page.
 *
 * @param item the item path of the operation, if any
 */
export function createReflect(
  operation: ApiOperation,
  item: ItemPath | undefined,
  { model, cursors, account }: Pick<OperationContext, 'model' | 'cursors' | 'account'>,
  respond: Respond,
): RespondToMock {
  const { represent, schemaAt, requests, responses } = model;
  const schemas = { requestSchemas: requests.schemas, responseSchemas: responses.schemas };
  return (request, change) => {
    if (change !== undefined) return respond(request, change);
    const sent = operation.method === 'DELETE' ? undefined : omitFiles(request.body);
    const idPlace = item && identityPlace(operation, item, schemas);
    const isList = idPlace === undefined && operation.method === 'GET' && listsJson();
    if (isList) return listGenerated({ operation, model, cursors, respond }, request);
    const isGenerated = idPlace === undefined && (sent === undefined || !isObject(sent));
    return isGenerated ? respond(request) : respond(request, { body });

    function body(generated: Json, { schema }: Described): Json {
      const value = sent !== undefined && isObject(sent) ? withSent(generated, sent, schema) : generated;
      const id = pathValues(operation.path, request).at(-1) ?? null;
      if (idPlace === undefined || id === null) return value;
      const candidates = [id, idText(id)].map((one) => replaceAt(value, idPlace, one));
      const reflected = candidates.find((one) => responses.allows(schema, one)) ?? value;
      const whole = withAccount(account(), reflected, idPlace);
      return responses.allows(schema, whole) ? whole : reflected;
    }
  };

  /** Returns whether the operation responds with a list, and only in JSON: the examples of other lists are texts. */
  function listsJson(): boolean {
    const contents = Object.values(operation.responses).flatMap((response) => response.contents);
    const isJson = contents.every(({ mediaType }) => kindOf(mediaType) === 'json');
    return isJson && successSchemas(operation).some((schema) => model.itemsAt(operation, schema) !== undefined);
  }

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
