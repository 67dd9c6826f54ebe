import document from '../../generated/document.json' with { type: 'json' };
import { int64Shapes, operations as table, securitySchemes as schemes } from '../../generated/operations.ts';
import type { components, operations as Documented } from '../../generated/types.ts';
import type { Int64Shape } from './int64.ts';
import type { Operation, SecurityScheme } from './operation.ts';
import type { ContractDocument } from './slice.ts';

/** The names of all operations. (Of a document without any, openapi-typescript makes a record of all strings.) */
export type OperationId = string extends keyof Documented ? never : keyof Documented;

/** A schema of the document, by its name under `components/schemas`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** What a handler gets. Everything in it has been validated; int64s are bigints. */
export type Request<Id extends OperationId> = { readonly body: RequestBody<Documented[Id]> };

/** What a handler may answer: one of the documented statuses, with the headers and the body documented for it. */
export type Reply<Id extends OperationId> = ReplyOf<Documented[Id]['responses']>;

/** The function behind an operation. What it throws becomes a 500 with a fixed text; the cause goes to the log only. */
export type Handler<Id extends OperationId> = (request: Request<Id>) => Promise<Reply<Id>>;

/**
 * Handlers by operationId, each typed by its operation. That there is one for every operation, and none without, is for
 * {@link Unmatched} to say: TypeScript names four missing properties at most, and none beside a superfluous one.
 */
export type Handlers = { readonly [Id in OperationId]?: Handler<Id> } & {
  readonly [name: string]: (request: never) => Promise<unknown>;
};

/**
 * What is left to do about a set of handlers, by name. An interface that extends this with an index signature of
 * {@link Matched} does not compile while anything is left, with an error of its own for every name.
 */
export type Unmatched<Written extends Handlers> = {
  readonly [Id in Exclude<OperationId, keyof Written>]: 'an operation without a handler';
} & { readonly [Name in Exclude<keyof Written, OperationId>]: 'a handler without an operation' };

/** The opposite of {@link Unmatched}. */
export type Matched = 'an operation with its handler';

/** What the service is made from: the generated tables and the document itself. */
export type Contract = {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** Named places of int64s, see {@link Int64Shape}. */
  readonly int64Shapes: Readonly<Record<string, Int64Shape>>;
  readonly document: ContractDocument;
};

/** The contract of this service. */
export const contract: Contract = {
  operations: table satisfies Readonly<Record<OperationId, Operation>>,
  securitySchemes: schemes,
  int64Shapes,
  document,
};

type RequestBody<Op> = Op extends { requestBody: { content: infer Content } }
  ? Content[keyof Content]
  : Op extends { requestBody?: { content: infer Content } }
    ? Content[keyof Content] | undefined
    : undefined;

type ReplyOf<Responses> = {
  [Status in keyof Responses]: {
    readonly status: StatusOf<Status, keyof Responses>;
  } & BodyOf<Responses[Status]> &
    HeadersOf<Responses[Status]>;
}[keyof Responses];

/** `default` stands for every failure that is not documented by its own status. */
type StatusOf<Status, Documented> = Status extends number ? Status : Exclude<FailureStatus, Documented>;

type BodyOf<Response> = Response extends { content: infer Content }
  ? [Content[keyof Content]] extends [never]
    ? { readonly body?: undefined }
    : { readonly body: Content[keyof Content] }
  : { readonly body?: undefined };

type HeadersOf<Response> = Response extends { headers: infer Headers }
  ? object extends Named<Headers>
    ? { readonly headers?: Named<Headers> }
    : { readonly headers: Named<Headers> }
  : unknown;

/** Without the index signature that openapi-typescript adds for headers that are not documented. */
type Named<Headers> = { readonly [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] };

/** The statuses of class 4xx and 5xx that IANA has registered. */
type FailureStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 406
  | 407
  | 408
  | 409
  | 410
  | 411
  | 412
  | 413
  | 414
  | 415
  | 416
  | 417
  | 421
  | 422
  | 423
  | 424
  | 425
  | 426
  | 428
  | 429
  | 431
  | 451
  | 500
  | 501
  | 502
  | 503
  | 504
  | 505
  | 506
  | 507
  | 508
  | 511;
