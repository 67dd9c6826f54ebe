import type { Json } from '../../values/json-value.ts';
import { idText } from '../../resources/identity-place.ts';
import { parameterNames, shapeOf } from '../../resources/item-path.ts';
import type { MockRequest } from './reply.ts';
import type { Resource } from './resources.ts';
import type { Store } from './store.ts';

/** Returns the path of a request to an operation, which identifies the resource or the collection in the store. */
export function pathOf(template: string, request: Pick<MockRequest, 'path'>): string {
  const values = pathValues(template, request);
  let index = 0;
  return template.replaceAll(/\{[^}]+\}/g, () => encode(values[index++] ?? null)).replace(/\/$/, '');
}

/** Returns the values of the parameters of a path, in their order. */
export function pathValues(template: string, { path }: Pick<MockRequest, 'path'>): readonly Json[] {
  const values = path as Readonly<Record<string, Json>>; // As validated.
  return parameterNames(template).map((name) => values[name] ?? null);
}

/** Returns the path of a resource in a collection. */
export function pathWithin(collection: string, id: Json): string {
  return `${collection}/${encode(id)}`;
}

/** Returns the path of the first missing resource that a path is below; `undefined` when there are all. */
export function missingParent(
  template: string,
  path: string,
  resources: readonly Resource[],
  store: Store,
): string | undefined {
  const segments = path.split('/');
  return resources
    .filter(({ item }) => item.parameter !== '' && shapeOf(template).startsWith(`${shapeOf(item.path)}/`))
    .map(({ item }) => segments.slice(0, item.path.split('/').length).join('/'))
    .find((outer) => !store.has(outer));
}

function encode(id: Json): string {
  return idText(id).replaceAll(/[%/]/g, encodeURIComponent); // Other characters need not be encoded here.
}
