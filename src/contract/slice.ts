import type { Operation } from './operation.ts';

/** The parts of an OpenAPI document that this module looks at. */
export type ContractDocument = {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

const COMPONENT_REFERENCE = /^#\/components\/([^/]+)\/([^/]+)/;

/**
 * A document of its own for one operation: that operation and only the components it reaches. A validator made from it
 * costs the same however many operations the contract has.
 *
 * @returns a deep copy, free to be changed
 */
export function sliceDocument(document: ContractDocument, { path, method }: Operation): ContractDocument {
  const { openapi, info, paths, components = {} } = document;
  const key = method.toLowerCase();
  const operation = paths[path]?.[key];
  const reached: Record<string, Record<string, unknown>> = {};
  reach(operation);
  return structuredClone({ openapi, info, paths: { [path]: { [key]: operation } }, components: reached });

  function reach(node: unknown): void {
    if (typeof node === 'string') reachComponent(node);
    else if (typeof node === 'object' && node !== null) Object.values(node).forEach(reach);
  }

  // Any string of the form of a reference counts, since a discriminator's mapping has them outside of `$ref` too.
  function reachComponent(text: string): void {
    const [, kind, name] = COMPONENT_REFERENCE.exec(text) ?? [];
    if (kind === undefined || name === undefined || reached[kind]?.[name] !== undefined) return;
    const component = components[kind]?.[name];
    if (component === undefined) return;
    (reached[kind] ??= {})[name] = component;
    reach(component);
  }
}
