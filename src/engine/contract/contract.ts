import type { Int64Shape } from './int64.ts';
import type { Operation, SecurityScheme } from './operation.ts';
import type { ContractDocument } from './slice.ts';

/** A document as the engine serves it: the tables that the generator derives from it, and the document itself. */
export type Contract = {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** The paths of the document's servers, without a slash at the end; every operation is under each of them. */
  readonly basePaths: readonly string[];
  /** Named places of int64s, see {@link Int64Shape}. */
  readonly int64Shapes: Readonly<Record<string, Int64Shape>>;
  readonly document: ContractDocument;
};
