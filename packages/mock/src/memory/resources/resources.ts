import { parameterNames, stringifyJson } from '@contract-first/contract';
import type { ApiOperation } from '@contract-first/model/operations';
import {
  collectionOf,
  type Corrections,
  type DocumentSchemas,
  findItems,
  findResourcePaths,
  identifyingMembers,
  identityPlace,
  type ItemPath,
  itemSchemas,
  itemsOf,
  shapeOf,
  singletonAt,
  successSchemas,
} from '@contract-first/model/resources';
import { allPropertiesOf, type JsonSchema, mergeAllOf } from '@contract-first/model/values';

/** A stored resource. */
export type Resource = {
  /** The path and the operations. Without an item path, the path is the collection with the parameter `id`. */
  readonly item: ItemPath;
  /** The possible names of the id member in responses. */
  readonly idMembers: readonly string[];
  /** For an object whose members are resources by id, such as `/features` beside `/features/{id}`: these resources. */
  readonly members?: Resource;
  /** Whether it exists with each id, since nothing creates it. Its members are generated until an operation changes it. */
  readonly alwaysExists?: boolean;
};

/** The role of an operation for a resource. */
export type Role = 'create' | 'list' | 'read' | 'replace' | 'patch' | 'remove';

/** An item path that the mock does not store, with the reason. */
export type Omitted = { readonly path: string; readonly reason: string };

const ROLES: readonly Role[] = ['create', 'list', 'read', 'replace', 'patch', 'remove'];

/** Finds the resources of a document that the mock can store, and omitted paths with reasons. */
export function findResources(operations: readonly ApiOperation[], schemas: DocumentSchemas, corrections: Corrections) {
  const { items, singletons } = findResourcePaths(operations, corrections, schemas);
  const resources: Resource[] = [];
  const omitted: Omitted[] = [];
  const unstored: ItemPath[] = [];
  const claimed = new Set<ApiOperation>();
  for (const found of [...items, ...singletons]) {
    const whole = withCreation(found, operations);
    const map = mapOf(whole, operations, schemas);
    const alwaysExists = whole.parameter !== '' && whole.create === undefined && isChanged(whole, operations);
    const item = map === undefined && !alwaysExists ? whole : { ...whole, list: undefined };
    const idMembers = item.parameter === '' ? [] : idMembersOf(item, operations, schemas);
    const reason = reasonAgainst({ item, idMembers, alwaysExists }, operations, schemas);
    const own = rolesOf(item).map(([, operation]) => operation);
    const isClaimed = own.some((operation) => claimed.has(operation));
    // A list alone, without an item path, rarely contains resources, and is not reported.
    const isNoteworthy = own.length > 1 || item.list === undefined;
    if (isClaimed) continue;
    if (reason === undefined) {
      const resource = { item, idMembers, alwaysExists };
      resources.push(resource);
      const ofMap = map === undefined ? [] : rolesOf(map).map(([, operation]) => operation);
      if (map !== undefined) resources.push({ item: map, idMembers: [], members: resource });
      for (const operation of [...own, ...ofMap]) claimed.add(operation);
    } else {
      unstored.push(item);
      if (isNoteworthy) omitted.push({ path: item.path, reason });
    }
  }
  return { resources, omitted, unstored };
}

/** Returns the operations of a resource with their roles. */
export function rolesOf(item: ItemPath): readonly (readonly [Role, ApiOperation])[] {
  return ROLES.flatMap((role) => {
    const operation = item[role];
    const isOwnRole = operation !== undefined && !(role === 'create' && operation === item.replace);
    return isOwnRole ? [[role, operation] as const] : [];
  });
}

/**
 * Returns the object that has the resources of a path as members, by id: every member that its read describes has the
 * schema of the resource. Documents without `additionalProperties` have members with names of examples.
 */
function mapOf(
  { path, list, read }: ItemPath,
  operations: readonly ApiOperation[],
  { responseSchemas }: DocumentSchemas,
): ItemPath | undefined {
  if (list === undefined || read === undefined || shapeOf(list.path) !== shapeOf(collectionOf(path))) return undefined;
  const [[whole], [single]] = [successSchemas(list), successSchemas(read)];
  const { additionalProperties: additional, properties = {} } = Object(
    whole === undefined ? {} : mergeAllOf(responseSchemas, whole),
  ) as { readonly additionalProperties?: JsonSchema; readonly properties?: Readonly<Record<string, JsonSchema>> };
  const named = Object.values(properties);
  const described = typeof additional === 'object' ? [...named, additional] : named.length > 1 ? named : [];
  const isMap = described.length > 0 && described.every((one) => stringifyJson(one) === stringifyJson(single));
  return isMap ? singletonAt(collectionOf(path), operations) : undefined;
}

/** Adds the POST to a collection without an item path. */
function withCreation(item: ItemPath, operations: readonly ApiOperation[]): ItemPath {
  const { list } = item;
  if (item.create !== undefined || item.parameter === '' || list === undefined) return item;
  return { ...item, create: postTo(list.path, operations) };
}

function postTo(path: string, operations: readonly ApiOperation[]): ApiOperation | undefined {
  return operations.find((one) => one.method === 'POST' && shapeOf(one.path) === shapeOf(path));
}

/** Returns whether an operation changes a resource, or is an action on it, such as `POST /profiles/{username}/follow`. */
function isChanged({ path, read, replace, patch, remove }: ItemPath, operations: readonly ApiOperation[]): boolean {
  const reads = operations.filter(({ method }) => method === 'GET').map((operation) => operation.path);
  const count = parameterNames(path).length;
  const isAction = (one: ApiOperation): boolean =>
    one.path.startsWith(`${path}/`) && parameterNames(one.path).length === count && !reads.includes(one.path);
  return read !== undefined && ([replace, patch, remove].some((one) => one !== undefined) || operations.some(isAction));
}

function idMembersOf(item: ItemPath, operations: readonly ApiOperation[], schemas: DocumentSchemas): readonly string[] {
  const own = rolesOf(item).flatMap(([, operation]) => identityPlace(operation, item, schemas)?.at(-1) ?? []);
  const { list } = item;
  const [schema] = list === undefined ? [] : successSchemas(list);
  const properties =
    list && allPropertiesOf(schemas.responseSchemas, findItems(list, schema, schemas.responseSchemas)?.schema);
  const listed = identifyingMembers(item, operations).find((name) => properties?.[name] !== undefined);
  return [...new Set(listed === undefined ? own : [...own, listed])];
}

function reasonAgainst(
  { item, idMembers, alwaysExists }: Resource,
  operations: readonly ApiOperation[],
  { requestSchemas, responseSchemas }: DocumentSchemas,
): string | undefined {
  const { create, read, list, replace, parameter } = item;
  const ofRead = read === undefined ? [] : successSchemas(read);
  const isListed = itemSchemas(list, responseSchemas).length > 0;
  const isOnly = parameter === '';
  const isList = itemsOf(ofRead[0], responseSchemas) !== undefined;
  const sendsList = replace?.requestBody?.contents.some(({ schema }) => itemsOf(schema, requestSchemas) !== undefined);
  const isCollection = (isList && sendsList !== true) || postTo(item.path, operations) !== undefined;
  if (isOnly && isCollection) return 'it is a collection whose resources have no path';
  if (!isOnly && create === undefined && alwaysExists !== true)
    return 'no POST to its collection and no PUT with 201 creates it';
  if (ofRead.length === 0 && !isListed) return 'no response with JSON reads or lists it';
  const hasId = isOnly || idMembers.length > 0 || create === item.replace;
  return hasId ? undefined : `no response has a member for {${parameter}}`;
}
