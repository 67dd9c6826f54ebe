import { escapePointer, parameterNames, stringifyJson } from '@contract-first/contract';
import type { ApiOperation, ResponseLink } from '../operations/api-operation.ts';
import type { JsonSchema, SchemaDocument } from '../values/json-schema.ts';
import type { Json } from '../values/json-value.ts';
import { scalarTypesOf } from '../values/schema-merge.ts';
import { type ItemPath, shapeOf } from './item-path.ts';
import { memberNames, resourceNames } from './resource-names.ts';
import { snakeCase } from '../values/snake-case.ts';
import { propertiesOf, propertyOf, requiredBy } from '../values/schema-property.ts';

/** A document with its schemas for each direction. */
export type DocumentSchemas = { readonly requestSchemas: SchemaDocument; readonly responseSchemas: SchemaDocument };

// The usual names of a member that contains the whole resource.
const WRAPPERS = ['data', 'item', 'result'];

/**
 * Returns the place of the resource id, the value of the path's last parameter, in a response body or in a wrapped
 * object such as `data`; `undefined` if the document describes no such member whose type fits the parameter.
 */
export function identityPlace(
  operation: ApiOperation,
  item: ItemPath,
  { requestSchemas, responseSchemas: schemas }: DocumentSchemas,
): readonly string[] | undefined {
  const types = parameterTypes(item, requestSchemas);
  const bodies = Object.entries(operation.responses).flatMap(([status, { contents }]) =>
    status.startsWith('2') ? contents.map(({ schema }): Placed => [[], schema]) : [],
  );
  const find = (objects: readonly Placed[]): readonly string[] | undefined =>
    memberNames(item)
      .flatMap((name) =>
        objects.map(([place, schema]): Placed => [[...place, name], propertyOf(schemas, schema, name)]),
      )
      .find(
        ([, property]) =>
          property !== undefined && scalarTypesOf(schemas, property).some((type) => types.includes(type)),
      )?.[0];
  const wrapped = bodies.flatMap(([, schema]) => {
    const properties = Object.entries(propertiesOf(schemas, schema));
    return properties
      .filter(([name]) => properties.length === 1 || [...WRAPPERS, ...resourceNames(item)].includes(snakeCase(name)))
      .map(([name, property]): Placed => [[name], property]);
  });
  return find(bodies) ?? find(wrapped);
}

/**
 * Returns the name of a required member of a creation's request with which the client sets the resource id, such as
 * `username`; `undefined` if there is none.
 */
export function sentIdentity(
  { requestBody }: ApiOperation,
  item: ItemPath,
  { requestSchemas: schemas }: DocumentSchemas,
): string | undefined {
  const types = parameterTypes(item, schemas);
  const [{ schema } = {}] = requestBody?.contents ?? [];
  return memberNames(item).find((name) => {
    const ofMember = scalarTypesOf(schemas, propertyOf(schemas, schema, name) ?? false);
    return requiredBy(schemas, schema).includes(name) && ofMember.some((type) => types.includes(type));
  });
}

/** A part of a body with its place and schema. */
type Placed = readonly [place: readonly string[], schema: JsonSchema | undefined];

function parameterTypes(
  { read, remove, replace, patch, parameter }: ItemPath,
  schemas: SchemaDocument,
): readonly string[] {
  const operation = read ?? remove ?? replace ?? patch;
  const { schema = true } = operation?.parameters.find((one) => one.in === 'path' && one.name === parameter) ?? {};
  const types = scalarTypesOf(schemas, schema);
  // In a path, a number is a text, too.
  const more = types.includes('string') ? ['integer', 'number'] : types.includes('number') ? ['integer'] : [];
  return [...types, ...more];
}

/**
 * Lists the possible names of a resource's id member: the name in a correction, or else the names in links and the
 * names derived from the parameter.
 */
export function identifyingMembers(item: ItemPath, operations: readonly ApiOperation[]): readonly string[] {
  if (item.id !== undefined) return [item.id];
  const links = Object.values(item.create?.responses ?? {}).flatMap((response) => response.links);
  const linked = links.flatMap((link) => {
    const target = operations.find((one) => targetsOperation(one, link));
    if (target === undefined || shapeOf(target.path) !== shapeOf(item.path)) return [];
    const name = parameterNames(target.path).at(-1) ?? '';
    const expression = link.parameters?.[name] ?? link.parameters?.[`path.${name}`];
    const [, member] = /^\$response\.body#\/([^/]+)$/.exec(typeof expression === 'string' ? expression : '') ?? [];
    return member ?? [];
  });
  return [...new Set([...linked, ...memberNames(item)])];
}

/** Returns whether a link targets an operation. */
export function targetsOperation({ operationId, template, method }: ApiOperation, link: ResponseLink): boolean {
  if (link.operationId !== undefined) return link.operationId === operationId;
  const place = `${escapePointer(template)}/${method.toLowerCase()}`;
  return decodeURI(link.operationRef ?? '') === `#/paths/${place}`;
}

/** Returns an id as text, since its type may differ between places. */
export function idText(id: Json | undefined): string {
  return typeof id === 'string' ? id : stringifyJson(id);
}
