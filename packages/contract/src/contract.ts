import type { Int64Shape } from './int64.ts';
import type { Operation, SecurityScheme } from './operation.ts';
import type { ContractDocument } from './contract-document.ts';

/** An OpenAPI document, with the tables that the generator derives from it. */
export type Contract = {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** The paths of the document's servers, without a trailing slash. Each operation is served below each of them. */
  readonly basePaths: readonly string[];
  /** Paths of servers with variables of any value: `/{1}`. */
  readonly templatedBasePaths?: readonly string[];
  /** The shapes that others refer to by name. */
  readonly int64Shapes: Readonly<Record<string, Int64Shape>>;
  /** The body of failures that the document does not describe, which is JSON; without one, they are problem details. */
  readonly usualFailure?: { readonly name: string; readonly mediaType: string };
  readonly document: ContractDocument;
};
