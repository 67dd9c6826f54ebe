import { parameterNames } from '@contract-first/contract';
import type { ApiOperation } from '../operations/api-operation.ts';
import { allPropertiesOf } from '../values/schema-property.ts';
import type { DocumentSchemas } from './identity-place.ts';
import {
  collectionOf,
  findItemPaths,
  findSingletonPaths,
  itemAt,
  shapeOf,
  singletonAt,
  type ItemPath,
} from './item-path.ts';
import { memberNames } from './resource-names.ts';

/** The collection and the id member of a path's resources, where the document's structure does not show them. */
export type Correction = { readonly collection?: string; readonly id?: string };

/** Corrections by path as in the document; `false` for a path without resources. */
export type Corrections = ReadonlyMap<string, Correction | false>;

export type ResourcePaths = {
  readonly items: readonly ItemPath[];
  /** The paths of singletons. */
  readonly singletons: readonly ItemPath[];
};

/** Finds the resources of a document by corrections, and else by the structure of the paths. */
export function findResourcePaths(
  operations: readonly ApiOperation[],
  corrections: Corrections,
  schemas: DocumentSchemas,
): ResourcePaths {
  const corrected = [...corrections.keys()].flatMap(
    (template) => findCorrected(template, corrections, operations) ?? [],
  );
  const named = [...corrections.keys()].map((template) => shapeOf(servedPathOf(template, operations) ?? template));
  const lists = corrected.map(({ list }) => list);
  const isClaimed = ({ list, read, replace, patch, remove }: ItemPath): boolean =>
    list !== undefined && lists.includes(list) && [read, replace, patch, remove].every((one) => one === undefined);
  const isInferred = (item: ItemPath): boolean => !named.includes(shapeOf(item.path)) && !isClaimed(item);
  const isSingleton = ({ parameter }: ItemPath): boolean => parameter === '';
  const items = [
    ...corrected.filter((item) => !isSingleton(item)),
    ...findItemPaths(operations).filter(isInferred),
  ].map((item) => withReplacement(item, operations, schemas));
  const replacements = new Set(items.flatMap(({ replace }) => replace ?? []));
  const isOnly = (item: ItemPath): boolean =>
    isInferred(item) && !(item.replace !== undefined && replacements.has(item.replace));
  return { items, singletons: [...corrected.filter(isSingleton), ...findSingletonPaths(operations).filter(isOnly)] };
}

/** Adds the PUT of the collection, such as `PUT /pet`, if it replaces the resource with the id in the body. */
function withReplacement(
  item: ItemPath,
  operations: readonly ApiOperation[],
  { requestSchemas }: DocumentSchemas,
): ItemPath {
  const { create, read } = item;
  if (item.replace !== undefined || create === undefined || read === undefined) return item;
  const replace = operations.find(({ method, path }) => method === 'PUT' && shapeOf(path) === shapeOf(create.path));
  const bodies = replace?.requestBody?.contents ?? [];
  const hasId = bodies.some(({ schema }) => {
    const properties = allPropertiesOf(requestSchemas, schema);
    return memberNames(item).some((name) => Object.hasOwn(properties, name));
  });
  return hasId ? { ...item, replace } : item;
}

/** Returns the item of a corrected path; `undefined` if there are no such operations, or the path has no resources. */
export function findCorrected(
  template: string,
  corrections: Corrections,
  operations: readonly ApiOperation[],
): ItemPath | undefined {
  const correction = corrections.get(template) ?? false;
  const path = servedPathOf(template, operations);
  if (path === undefined || correction === false) return undefined;
  const { collection, id } = correction;
  if (!hasManyResources(template, correction)) return singletonAt(path, operations);
  const given = collection === undefined ? undefined : servedPathOf(collection, operations);
  return { ...itemAt(path, [...(given === undefined ? [] : [given]), collectionOf(path)], operations), id };
}

/** Returns whether a corrected path has several resources: it ends with a parameter or has a collection. */
export function hasManyResources(template: string, { collection }: Correction): boolean {
  return collection !== undefined || /\}\/?$/.test(template);
}

/** Returns the path of a template with the server's base path. Accepts `/things/{id}` if only `/things` exists. */
export function servedPathOf(template: string, operations: readonly ApiOperation[]): string | undefined {
  const find = (wanted: string): string | undefined =>
    operations.find((one) => shapeOf(one.template) === shapeOf(wanted))?.path;
  const collection = parameterNames(template).length > 0 ? find(collectionOf(template)) : undefined;
  const ofCollection = collection === undefined ? undefined : `${collection.replace(/\/$/, '')}/{id}`;
  return find(template) ?? (template.endsWith('/{id}') ? ofCollection : undefined);
}
