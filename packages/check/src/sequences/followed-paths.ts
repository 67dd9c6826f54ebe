import type { ApiOperation } from '@contract-first/model/operations';
import {
  collectionOf,
  findResourcePaths,
  identityPlace,
  sentIdentity,
  targetsOperation,
  type ItemPath,
  type ResourcePaths,
  shapeOf,
  successSchemas,
} from '@contract-first/model/resources';
import type { Run } from '../run/run.ts';

/**
 * Finds the resources of the operations. If no operation creates the resources of `/parts/{id}`, a POST to a path such
 * as `/parts/create` or `/things/{id}/parts` is assumed to create them, or else a PUT to a new address.
 */
export function findFollowedPaths(operations: readonly ApiOperation[], run: Run): ResourcePaths {
  const { items, singletons } = findResourcePaths(operations, run.corrections, run);
  return {
    singletons,
    items: items.map((item) => ({ ...item, create: item.create ?? creatorOf(item, operations) ?? putOf(item) })),
  };
}

const CREATIONS = ['create', 'new', 'add'];

function creatorOf({ path, read }: ItemPath, operations: readonly ApiOperation[]): ApiOperation | undefined {
  if (read === undefined) return undefined;
  const collection = shapeOf(collectionOf(path));
  const name = collection.slice(collection.lastIndexOf('/'));
  const outer = collection.slice(0, collection.lastIndexOf('}') + 1);
  return operations.find((create) => {
    const shape = shapeOf(create.path);
    const isBelow = shape.startsWith(outer) && shape.endsWith(`{}${name}`) && shape !== collection;
    const isCreation =
      (isBelow && create.responses[201] !== undefined) || CREATIONS.some((verb) => shape === `${collection}/${verb}`);
    return create.method === 'POST' && isCreation && identifies(create, read);
  });
}

/** Returns the PUT of a resource, if its path has the id, and reads show whether it creates the resource. */
function putOf({ path, read, replace }: ItemPath): ApiOperation | undefined {
  const hasId = replace !== undefined && shapeOf(replace.path) === shapeOf(path);
  return read !== undefined && hasId ? replace : undefined;
}

/** Returns whether the PUT of a resource may create it. */
export function mayCreate({ create, replace }: ItemPath): boolean {
  return replace !== undefined && (create === replace || replace.responses[201] !== undefined);
}

/** Returns whether the documented responses to a creation identify the resource that an operation reads. */
function identifies(create: ApiOperation, read: ApiOperation): boolean {
  const isLinked = Object.values(create.responses).some(({ headers, links }) => {
    return links.some((link) => targetsOperation(read, link)) || headers.some(({ name }) => name === 'location');
  });
  return isLinked || hasSameSchema(create, read);
}

/** Returns whether a creation and a read document the same response schema. */
export function hasSameSchema(create: ApiOperation, read: ApiOperation): boolean {
  const textsOf = (operation: ApiOperation): readonly string[] =>
    successSchemas(operation).flatMap((schema) => (schema === undefined ? [] : JSON.stringify(schema)));
  return textsOf(create).some((text) => textsOf(read).includes(text));
}

/** Returns whether the request or the response of a creation may have the id, which the document may not declare. */
export function mayIdentifyNew(item: ItemPath, run: Run): boolean {
  const { create, read } = item;
  if (create === undefined) return false;
  const responses = Object.values(create.responses);
  return (
    create === item.replace ||
    identityPlace(create, item, run) !== undefined ||
    sentIdentity(create, item, run) !== undefined ||
    responses.some(({ headers, links }) => links.length > 0 || headers.some(({ name }) => name === 'location')) ||
    (read !== undefined && successSchemas(create).length > 0)
  );
}
