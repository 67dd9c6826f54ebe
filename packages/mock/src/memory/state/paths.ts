import { parameterNames } from '@contract-first/contract';
import type { Json } from '@contract-first/model/values';
import { idText, type ItemPath, shapeOf } from '@contract-first/model/resources';
import type { MockRequest } from '../reply.ts';
import type { Resource } from '../resources/resources.ts';
import type { ResourceStore } from './store.ts';

/** Returns the path of a request to an operation. */
export function pathOf(template: string, request: Pick<MockRequest, 'path'>): string {
  return fill(template, pathValues(template, request)).replace(/\/$/, '');
}

/** Returns the values of the path parameters, in order. */
export function pathValues(template: string, { path }: Pick<MockRequest, 'path'>): readonly Json[] {
  const values = path as Readonly<Record<string, Json>>; // Validated.
  return parameterNames(template).map((name) => values[name] ?? null);
}

/** Returns the path of a resource in the store. With a corrected collection, it differs from the request path. */
export function storePath(item: ItemPath, values: readonly Json[]): string {
  return item.parameter === ''
    ? fill(item.path, values)
    : pathInCollection(storeCollection(item, values), values.at(-1) ?? null);
}

/** Returns the path of a collection in the store. @param values the values of the path parameters, in order */
export function storeCollection(item: ItemPath, values: readonly Json[]): string {
  return fill(collectionTemplate(item), values);
}

/** Returns the path template before the id parameter. */
export function collectionTemplate({ path }: ItemPath): string {
  return path.slice(0, path.lastIndexOf('{')).replace(/\/$/, '');
}

/** Returns the path of a resource in a collection. */
export function pathInCollection(collection: string, id: Json): string {
  return `${collection}/${encode(id)}`;
}

/** Returns the parent resources of a path: the books for `/books/{bookId}/reviews`. */
export function resourcesIn(template: string, resources: readonly Resource[]): readonly Resource[] {
  const shape = `${shapeOf(template)}/`;
  return resources.filter(({ item }) => item.parameter !== '' && shape.startsWith(`${shapeOf(item.path)}/`));
}

/** Returns the path of the first parent resource that does not exist; `undefined` if all exist. */
export function findMissing(
  template: string,
  request: Pick<MockRequest, 'path'>,
  resources: readonly Resource[],
  store: ResourceStore,
): string | undefined {
  const values = pathValues(template, request);
  return resources
    .filter(({ alwaysExists }) => alwaysExists !== true)
    .map(({ item }) => storePath(item, values.slice(0, parameterNames(item.path).length)))
    .find((path) => !store.has(path));
}

function fill(template: string, values: readonly Json[]): string {
  if (!template.includes('{')) return template;
  let index = 0;
  return template.replaceAll(/\{[^}]+\}/g, () => encode(values[index++] ?? null));
}

/** Returns the id in the last segment of a path in the store. */
export function decodeId(segment: string): string {
  return decodeURIComponent(segment);
}

function encode(id: Json): string {
  return idText(id).replaceAll(/[%/]/g, encodeURIComponent); // Store paths need no further encoding.
}
