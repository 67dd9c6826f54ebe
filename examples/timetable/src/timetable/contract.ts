import generated from '../../generated/contract.json' with { type: 'json' };
import type { failures, OperationId, operations, paths, UncheckedScheme } from '../../generated/types.ts';
import {
  HandlerFailure,
  type Checker,
  type Contract,
  type FailureReplyOf,
  type FailuresOf,
  type HandlersOf,
  type Matched,
  type ReplyOf,
  type RequestOf,
  type UnmatchedOf,
} from '@contract-first/engine';

// Binds the engine to the generated types of this application.

/** The contract of this service. The generator writes this shape; TypeScript infers less from JSON. */
export const contract = generated as unknown as Contract;

/** The request of an operation, validated. */
export type Request<Id extends OperationId> = RequestOf<operations[Id], Pick<operations, OperationId>>;

/** A documented response of an operation. */
export type Reply<Id extends OperationId> = ReplyOf<operations[Id]>;

/** Handlers by operationId. */
export type Handlers = HandlersOf<Pick<operations, OperationId>>;

/** Ends a request with a documented failure, from any depth: `throw new Failure({ status: 404, body: … })`. */
export class Failure extends HandlerFailure<FailureReplyOf<Pick<operations, OperationId>>> {}

/** Functions that render the bodies of failures, by the name of their schema. */
export type Failures = FailuresOf<failures>;

/** Checkers by security scheme: required for schemes that the engine cannot check, optional for the other schemes. */
export type Checkers = Readonly<Record<UncheckedScheme, Checker> & Record<string, Checker>>;

/** Operations without a handler, and handlers without an operation. */
export type Unmatched<Written extends Handlers> = UnmatchedOf<OperationId, Written>;

export type { Matched, OperationId, paths as Paths };
