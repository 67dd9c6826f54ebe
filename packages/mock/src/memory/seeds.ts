import { kindOf, parameterNames } from '@contract-first/contract';
import type { ApiOperation } from '@contract-first/model/operations';
import { itemsIn } from '@contract-first/model/resources';
import { isObject, type Json, type JsonObject, partAt, type Values } from '@contract-first/model/values';
import type { Identifiers } from './identifiers.ts';
import type { Model } from './model.ts';
import { storePath } from './paths.ts';
import type { Resource } from './resources.ts';
import type { Store } from './store.ts';

/** Stores the valid examples of the resources whose collection is not nested. */
export function storeExamples(
  resources: readonly Resource[],
  store: Store,
  model: Model,
  identifiers: Identifiers,
): void {
  for (const resource of resources) {
    const { item, idMembers } = resource;
    if (parameterNames(item.path).length !== 1 || item.parameter === '') continue;
    const schemas = model.idSchemasOf(resource);
    for (const example of examplesOf(resource, model)) {
      const id = identifiers.idIn(example, idMembers, schemas);
      const path = id === undefined ? undefined : storePath(item, [id]);
      if (path !== undefined && !store.has(path)) store.set(path, example);
    }
  }
}

function examplesOf(resource: Resource, model: Model): readonly JsonObject[] {
  const { list, read } = resource.item;
  const listed =
    list === undefined ? [] : wholeExamples(list, model.responses).flatMap((body) => itemsIn(body, list) ?? []);
  const place = read === undefined ? [] : model.placeIn(read, resource);
  const single = read === undefined ? [] : wholeExamples(read, model.responses).map((body) => partAt(body, place));
  return [...listed, ...single].filter(isObject);
}

/** Returns the valid examples of the JSON bodies of successful responses. */
function wholeExamples({ responses }: ApiOperation, { oracle }: Values): readonly Json[] {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const contents = successes.flatMap(([, response]) =>
    response.contents.filter(({ mediaType }) => kindOf(mediaType) === 'json'),
  );
  return contents.flatMap(({ schema, examples }) =>
    examples(oracle, undefined).flatMap(({ value, isCombined }) =>
      isCombined || !oracle.allows(schema, value) ? [] : [value],
    ),
  );
}
