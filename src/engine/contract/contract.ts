import generated from '../../../generated/contract.json' with { type: 'json' };
import type { OperationId, operations as Documented, paths as Paths } from '../../../generated/types.ts';
import type { Int64Shape } from './int64.ts';
import type { Operation, SecurityScheme } from './operation.ts';
import type { ContractDocument } from './slice.ts';

/** The operations by name, and the paths as clients made of types take them (`createClient<Paths>()`). */
export type { OperationId, Paths };

/** What a handler gets. Everything in it has been validated; int64s are bigints. */
export type Request<Id extends OperationId> = {
  readonly path: Values<Documented[Id]['parameters']['path']>;
  readonly query: Values<Documented[Id]['parameters']['query']>;
  readonly headers: Values<Documented[Id]['parameters']['header']>;
  readonly cookies: Values<Documented[Id]['parameters']['cookie']>;
  /**
   * Who sends it: the name of a token, or the `sub` of a JSON Web Token. `undefined` only where the document lets
   * anybody in.
   */
  readonly caller: string | undefined;
} & RequestBody<Documented[Id]>;

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
  /** The paths of the document's servers, without a slash at the end; every operation is under each of them. */
  readonly basePaths: readonly string[];
  /** Named places of int64s, see {@link Int64Shape}. */
  readonly int64Shapes: Readonly<Record<string, Int64Shape>>;
  readonly document: ContractDocument;
};

/** The contract of this service. The generator writes it in this form; TypeScript reads less out of JSON. */
export const contract = generated as unknown as Contract;

type Values<Parameters> = [NonNullable<Parameters>] extends [never] ? unknown : Readonly<NonNullable<Parameters>>;

type RequestBody<Op> = Op extends { requestBody: { content: infer Content } }
  ? BodyIn<Content>
  : Op extends { requestBody?: { content: infer Content } }
    ? BodyIn<Content> | NoBody
    : NoBody;
type NoBody = { readonly contentType: undefined; readonly body: undefined };

/** One pair of media type and body for each that is documented. The media type is as sent, perhaps with parameters. */
type BodyIn<Content> = {
  [MediaType in keyof Content]: { readonly contentType: Sent<MediaType>; readonly body: Body<MediaType, Content> };
}[keyof Content];
type Sent<MediaType> = MediaType extends string ? MediaType | `${MediaType};${string}` : never;

/** What a schema does not say about a body, its media type says. */
type Body<MediaType extends keyof Content, Content> = unknown extends Content[MediaType]
  ? MediaType extends `${string}json`
    ? unknown
    : MediaType extends `text/${string}`
      ? string
      : Blob
  : Content[MediaType];

type ReplyOf<Responses> = {
  [Status in keyof Responses]: {
    readonly status: StatusOf<Status, keyof Responses>;
  } & BodyOut<Responses[Status]> &
    HeadersOf<Responses[Status]>;
}[keyof Responses];

/** `default` stands for every failure that is not documented by its own status. */
type StatusOf<Status, Documented> = Status extends number
  ? Status
  : Status extends keyof StatusRanges
    ? Exclude<StatusRanges[Status], Documented>
    : Exclude<FailureStatus, Documented>;

type BodyOut<Response> = Response extends { content: infer Content }
  ? [Content[keyof Content]] extends [never]
    ? { readonly body?: undefined }
    : {
        [MediaType in keyof Content]: {
          readonly body: Body<MediaType, Content>;
        } & (IsUnion<keyof Content> extends true
          ? { readonly contentType: MediaType }
          : { readonly contentType?: Concrete<MediaType> });
      }[keyof Content]
  : { readonly body?: undefined };

/** A range (`image/*`) stands for the media types in it. */
type Concrete<MediaType> = MediaType extends `${infer Type}/*` ? `${Type}/${string}` : MediaType;
type IsUnion<T, Whole = T> = T extends unknown ? ([Whole] extends [T] ? false : true) : never;

type HeadersOf<Response> = Response extends { headers: infer Headers }
  ? object extends Named<Headers>
    ? { readonly headers?: Named<Headers> }
    : { readonly headers: Named<Headers> }
  : unknown;

/** Without the index signature that openapi-typescript adds for headers that are not documented. */
type Named<Headers> = { readonly [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] };

/** The statuses that IANA has registered, by class. */
type StatusRanges = {
  '2XX': 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;
  '3XX': 300 | 301 | 302 | 303 | 304 | 307 | 308;
  '4XX':
    | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417)
    | (421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451);
  '5XX': 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 511;
};
type FailureStatus = StatusRanges['4XX'] | StatusRanges['5XX'];
