import type { Operation, OperationValidator } from '@contract-first/contract';

/** An operation and the validator of its requests and responses. */
export type CompiledOperation = { readonly operation: Operation; readonly validator: OperationValidator };
