import type { Shapes } from './shape.ts';
import type { Operation, SecurityScheme } from './operation.ts';

/** The tables and schemas that the generator derives from an OpenAPI document, and that the engine serves. */
export type Contract = {
  /** The title and the version of the document. */
  readonly info: { readonly title: string; readonly version: string };
  readonly operations: Readonly<Record<string, Operation>>;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** The paths of the document's servers, without a trailing slash. Each operation is served below each of them. */
  readonly basePaths: readonly string[];
  /** Paths of servers with variables of any value: `/{1}`. */
  readonly templatedBasePaths?: readonly string[];
  /** The shapes that others refer to by name. */
  readonly int64Shapes: Shapes;
  /** The formats whose strings the application decodes, and the shapes that others refer to by name. */
  readonly formats?: { readonly names: readonly string[]; readonly shapes: Shapes };
  /** The body of failures that the document does not describe, which is JSON; without one, they are problem details. */
  readonly usualFailure?: { readonly name: string; readonly mediaType: string };
  /** A request for the first operation; absent when there is none. */
  readonly example?: ExampleRequest;
  /** The schemas that those of operations refer to, by reference: `#/components/schemas/Pet`. All are JSON Schema 2020-12. */
  readonly schemas: Readonly<Record<string, unknown>>;
};

/** A request as arguments of curl, in which TOKEN_PLACEHOLDER stands for the token. */
export type ExampleRequest = {
  readonly method: string;
  /** The path and the query. */
  readonly target: string;
  /** Options with their values: `['-H', 'If-Match: *']`. */
  readonly options: readonly (readonly [name: string, value: string])[];
};

/** Stands for a token. No argument of a command can contain it. */
export const TOKEN_PLACEHOLDER = '\0';
