import { escapePointer, type SecurityScheme } from '@contract-first/contract';
import { METHODS } from './openapi-rules.ts';
import type { OpenApiDocument } from './reference.ts';

/** The parts of a document that the generator reads; the linter has checked this shape. */
export type Document = OpenApiDocument & {
  readonly info?: { readonly title: string; readonly version: string };
  readonly servers?: readonly Server[];
  readonly security?: readonly Requirement[];
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly components?: {
    readonly securitySchemes?: Readonly<Record<string, unknown>>;
    readonly schemas?: Readonly<Record<string, unknown>>;
  };
};
export type Server = {
  readonly url: string;
  readonly variables?: Readonly<Record<string, { readonly default: string; readonly enum?: readonly string[] }>>;
};
type Requirement = Readonly<Record<string, readonly string[]>>;
export type PathItem = Readonly<Record<string, unknown>> & {
  readonly parameters?: readonly unknown[];
  readonly servers?: readonly Server[];
  /** By method, in its own capitalization (OpenAPI 3.2). */
  readonly additionalOperations?: Readonly<Record<string, unknown>>;
};
export type Content = Readonly<Record<string, MediaTypeObject>>;
export type MediaTypeObject = {
  readonly schema?: unknown;
  readonly itemSchema?: unknown;
  readonly encoding?: Readonly<Record<string, Encoding>>;
};
export type Encoding = {
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly style?: string;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
};
export type ParameterObject = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly in: 'path' | 'query' | 'querystring' | 'header' | 'cookie';
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema?: unknown;
  readonly content?: Content;
};
export type RequestBodyObject = { readonly required?: boolean; readonly content: Content };
export type ResponseObject = {
  readonly description?: string;
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, unknown>>;
};
export type OperationObject = {
  readonly operationId: string;
  readonly 'x-body-limit-bytes'?: number;
  readonly 'x-time-limit-ms'?: number;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Requirement[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses?: Readonly<Record<string, unknown>>;
  readonly servers?: readonly Server[];
};
export type SecuritySchemeObject = SecurityScheme;

/** Lists the operations of a document with their JSON pointers. */
export function listOperations(document: Document) {
  const paths = Object.entries(document.paths ?? {}).filter(([path]) => path.startsWith('/')); // Skips extensions (`x-…`).
  return paths.flatMap(([path, pathItem]) =>
    operationsOf(pathItem).map(([method, object]) => ({
      path,
      method,
      pathItem,
      object,
      pointer: operationPointer(path, method),
    })),
  );
}

/** Returns the operations of a path item with their methods, spelled as in requests. */
export function operationsOf(pathItem: PathItem): readonly (readonly [method: string, OperationObject])[] {
  const fixed = Object.entries(pathItem)
    .filter(([key]) => METHODS.includes(key))
    .map(([key, object]) => [key.toUpperCase(), object] as const);
  // The linter has checked this shape.
  return [...fixed, ...Object.entries(pathItem.additionalOperations ?? {})] as [string, OperationObject][];
}

/** Returns the JSON pointer of an operation. */
export function operationPointer(path: string, method: string): string {
  const key = method.toLowerCase();
  const member = METHODS.includes(key) ? key : `additionalOperations/${escapePointer(method)}`;
  return `#/paths/${escapePointer(path)}/${member}`;
}
