import type { Shapes } from './shape.ts';
import type { Operation, SecurityScheme } from './operation.ts';

/** The tables and schemas that the generator derives from an OpenAPI document for the engine. */
export type Contract = {
  /** The title and the version of the document. */
  readonly info: { readonly title: string; readonly version: string };
  readonly operations: Readonly<Record<string, Operation>>;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** The paths of the document's servers, without a trailing slash. Each operation is served under each of them. */
  readonly basePaths: readonly string[];
  /** The server paths with unrestricted variables: `/{1}`. */
  readonly templatedBasePaths?: readonly string[];
  /** The named shapes, the targets of `$ref`s in int64 shapes. */
  readonly int64Shapes: Shapes;
  /** The formats that the application decodes, and the named shapes, the targets of `$ref`s. */
  readonly formats?: { readonly names: readonly string[]; readonly shapes: Shapes };
  /** The JSON body of undocumented failures; if absent, they are problem details. */
  readonly usualFailure?: { readonly name: string; readonly mediaType: string };
  /** An example request for the first operation; absent if there is none. */
  readonly example?: ExampleRequest;
  /** The component schemas by reference: `#/components/schemas/Pet`. All schemas are JSON Schema 2020-12. */
  readonly schemas: Readonly<Record<string, unknown>>;
};

/** A request as arguments of curl. `TOKEN_PLACEHOLDER` stands for the token. */
export type ExampleRequest = {
  readonly method: string;
  /** The path and the query. */
  readonly target: string;
  /** Options with their values: `['-H', 'If-Match: *']`. */
  readonly options: readonly (readonly [name: string, value: string])[];
};

/** The placeholder of a token: a NUL, which no command argument can contain. */
export const TOKEN_PLACEHOLDER = '\0';
