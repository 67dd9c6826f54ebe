import type { Operation } from './operation.ts';

type Node = Readonly<Record<string, unknown>>;

/** The parts of an OpenAPI document used by the engine. */
export type ContractDocument = {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths?: Readonly<Record<string, Node>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** Returns the version of OpenAPI that a document's schemas are validated by: 3.0, or 3.1 for any other. */
export function schemaVersion({ openapi }: Pick<ContractDocument, 'openapi'>): string {
  return openapi.startsWith('3.0.') ? openapi : '3.1.0';
}

/** Returns the object of an operation, which may be in `additionalOperations` (OpenAPI 3.2, 4.9.1). */
export function findOperationObject(document: ContractDocument, { path, method }: Operation): Node {
  const pathItem = document.paths?.[path] ?? {};
  const additional = (pathItem['additionalOperations'] ?? {}) as Node;
  return (pathItem[method.toLowerCase()] ?? additional[method] ?? {}) as Node; // The linter has checked this shape.
}

/** Follows the `$ref` of a node to a component, repeatedly; returns nodes without one unchanged. */
export function resolveComponent(document: ContractDocument, node: unknown): Node {
  const reference = (node as Node)['$ref'];
  if (typeof reference !== 'string') return node as Node;
  const [, kind = '', name = ''] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(reference) ?? [];
  return resolveComponent(document, document.components?.[kind]?.[name] ?? {});
}

/**
 * Merges the parameters of a path and an operation. Those of the operation override those with the same name and
 * location. Three headers are ignored (OpenAPI 3.1, 4.8.12.1).
 */
export function mergeParameters(shared: readonly Node[], own: readonly Node[]): readonly Node[] {
  const identity = ({ name, in: location }: Node): string => `${String(location)} ${String(name)}`;
  const merged = new Map([...shared, ...own].map((parameter) => [identity(parameter), parameter]));
  return [...merged].flatMap(([key, parameter]) => (IGNORED_PARAMETERS.test(key) ? [] : [parameter]));
}

/** Matches the parameters that OpenAPI ignores, written `header Accept` (OpenAPI 3.1, 4.8.12.2). */
export const IGNORED_PARAMETERS = /^header (?:accept|content-type|authorization)$/i;
