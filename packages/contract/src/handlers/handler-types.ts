import type { Logger } from 'pino';
import type { Violation } from '../operations/violation.ts';

/** An operation of the generated types. */
type OperationTypes = {
  /** Present if every security requirement of the operation needs credentials. */
  readonly security?: 'required';
  /** The media types for which the application has codecs, as the document spells them. */
  readonly codecs?: string;
  readonly parameters: {
    readonly path?: unknown;
    readonly query?: unknown;
    readonly header?: unknown;
    readonly cookie?: unknown;
  };
  readonly responses: object;
};

/** The state of a resource, for conditional requests. */
export type ResourceState = {
  /** The entity tag with its quotes: `"1"`. */
  readonly etag?: string;
  /** A date, or its text in HTTP: `Tue, 15 Nov 1994 12:45:26 GMT`. */
  readonly lastModified?: Date | string;
};

/** The context of a request, besides its documented values. */
export type RequestContext = {
  /** The X-Request-Id of the request, or a new UUID. */
  readonly requestId: string;
  /** A logger that adds the request id and the operationId to each line. */
  readonly log: Logger;
  /**
   * Aborted when the result is no longer needed: the client disconnected, or the time limit of the operation passed.
   * While a response is streamed, also aborted when the service stops, so that endless streams end.
   */
  readonly signal: AbortSignal;
  /**
   * Asserts that the resource has the state that the request requires by `If-Match`, `If-None-Match` or
   * `If-Unmodified-Since`. Call it in the transaction of the change, before the change. Throws an error that the engine
   * answers 412.
   *
   * @param state the state of the resource; `undefined` if it does not exist
   */
  readonly assertMatch: (state: ResourceState | undefined) => void;
  /** All received headers, by lower-case name. `headers` contains the documented headers, validated. */
  readonly rawHeaders: Readonly<Record<string, string | readonly string[] | undefined>>;
};

/**
 * The validated request of an operation; int64s are bigints.
 *
 * @typeParam Operations the operations that `url` can link to
 */
export type RequestOf<Op extends OperationTypes, Operations = unknown> = RequestContext & {
  /**
   * Returns the absolute URL of an operation, for links. The base is `PUBLIC_URL`, or else the origin that this request
   * was sent to.
   */
  readonly url: <Id extends keyof Operations & string>(
    operationId: Id,
    ...parameters: LinkTo<Operations[Id]>
  ) => string;
  /**
   * Selects the media type of the response that the header `Accept` prefers, the first of equally preferred ones. The
   * response then has `Vary: Accept`. If none is acceptable, throws an error that the engine answers 406; selects the
   * first one if the document has no 406.
   */
  readonly accepts: <MediaType extends SentTypeOf<Op['responses']>>(
    ...mediaTypes: readonly [MediaType, ...MediaType[]]
  ) => MediaType;
  readonly path: Values<Op['parameters']['path']>;
  readonly query: Values<Op['parameters']['query']>;
  readonly headers: Values<Op['parameters']['header']>;
  readonly cookies: Values<Op['parameters']['cookie']>;
  /**
   * The authenticated caller, named after the token or the `sub` of the JSON Web Token. `undefined` only if the
   * document requires no credentials.
   */
  readonly caller: Op extends { readonly security: 'required' } ? Caller : Caller | undefined;
} & RequestBody<Op>;

/** The parameters of a link to an operation; optional if its path has no parameters. */
type LinkTo<Op> = Op extends OperationTypes
  ? [NonNullable<Op['parameters']['path']>] extends [never]
    ? [parameters?: { readonly query?: Partial<Values<Op['parameters']['query']>> }]
    : [
        parameters: {
          readonly path: Values<Op['parameters']['path']>;
          readonly query?: Partial<Values<Op['parameters']['query']>>;
        },
      ]
  : never;

/** A documented response of an operation: a status with its headers and body. */
export type ReplyOf<Op extends OperationTypes> = AnyReplyOf<Op['responses'], CodecsOf<Op>>;

/** The documented failures of any operation, for {@link HandlerFailure}. */
export type FailureReplyOf<Operations extends Record<keyof Operations, OperationTypes>> = Extract<
  { [Id in keyof Operations]: ReplyOf<Operations[Id]> }[keyof Operations],
  { readonly status: FailureStatus }
>;

/** The handler of an operation. A thrown error becomes a 500 with a fixed text; the cause is only logged. */
export type HandlerOf<Op extends OperationTypes, Operations = unknown> = (
  request: RequestOf<Op, Operations>,
) => Promise<ReplyOf<Op>>;

/**
 * Handlers by operationId, each typed by its operation. {@link UnmatchedOf} reports missing and superfluous handlers:
 * TypeScript itself names at most four missing properties, and none if there is a superfluous property.
 */
export type HandlersOf<Operations extends Record<keyof Operations, OperationTypes>> = {
  readonly [Id in keyof Operations]?: HandlerOf<Operations[Id], Operations>;
} & { readonly [name: string]: (request: never) => Promise<unknown> };

/**
 * The differences between operations and handlers, by name. An interface that extends this type and has an index
 * signature of {@link Matched} compiles only without differences; the compiler reports one error per name.
 */
export type UnmatchedOf<OperationId extends PropertyKey, Handlers> = {
  readonly [Id in Exclude<OperationId, keyof Handlers>]: 'an operation without a handler';
} & { readonly [Name in Exclude<keyof Handlers, OperationId>]: 'a handler without an operation' };

/** The value type of an operation with a handler, for {@link UnmatchedOf}. */
export type Matched = 'an operation with its handler';

/** The details of a failure that the engine sends. */
export type FailureDetails = {
  readonly status: number;
  /** For a 4xx, how to fix the request; for a 5xx, a fixed text. */
  readonly message: string;
  /** `undefined` when the request matches no operation. */
  readonly operationId: string | undefined;
  /** Up to ten violations of the parameters and the body; empty for other failures. */
  readonly violations: readonly Pick<Violation, 'place' | 'message'>[];
};

/** Functions that render the engine's failures as documented bodies, by name of the body. */
export type FailuresOf<Bodies extends Record<keyof Bodies, { mediaType: string; schema: unknown; codec?: true }>> = {
  readonly [Name in keyof Bodies]: (
    failure: FailureDetails,
  ) => Bodies[Name] extends { readonly codec: true }
    ? Bodies[Name]['schema']
    : Parsed<Bodies[Name]['mediaType'], Bodies[Name]['schema'], string | Uint8Array>;
} & object; // Without `object`, a type without bodies would accept any value.

type Values<Parameters> = [NonNullable<Parameters>] extends [never] ? unknown : Readonly<NonNullable<Parameters>>;

type RequestBody<Op> = Op extends { requestBody: { content: infer Content } }
  ? BodyIn<Content, CodecsOf<Op>>
  : Op extends { requestBody?: { content: infer Content } }
    ? BodyIn<Content, CodecsOf<Op>> | NoBody
    : NoBody;
type CodecsOf<Op> = Op extends { readonly codecs: infer MediaType } ? MediaType : never;
type NoBody = { readonly contentType: undefined; readonly body: undefined };

/** A union of the documented media types with their bodies. A received media type may have parameters. */
type BodyIn<Content, Codecs> = {
  [MediaType in keyof Content]: {
    readonly contentType: WithParameters<Concrete<MediaType>>;
    readonly body: MediaType extends string ? Received<MediaType, Content[MediaType], Codecs> : never;
  };
}[keyof Content];
type WithParameters<MediaType> = MediaType extends string ? MediaType | `${MediaType};${string}` : never;

/** The type of a body in a request: forms and JSON in a range are parsed, and codecs decode their media types. */
type Received<MediaType extends string, Schema, Codecs> = MediaType extends Codecs
  ? Schema
  : Essence<MediaType> extends 'application/x-www-form-urlencoded' | 'multipart/form-data'
    ? Schema
    : Essence<MediaType> extends '*' | '*/*' | 'application/*'
      ? unknown extends Schema
        ? Blob
        : Schema | Blob
      : Parsed<MediaType, Schema, Blob>;

/** The type of a body without a codec. A schema describes only JSON and text; other media types are bytes. */
type Parsed<MediaType, Schema, Bytes> = MediaType extends string
  ? IsJson<Essence<MediaType>> extends true
    ? Schema
    : Essence<MediaType> extends JsonSequence
      ? Items<Schema, Bytes>
      : Essence<MediaType> extends 'text/event-stream'
        ? Items<Schema, string>
        : Essence<MediaType> extends `text/${string}`
          ? Text<Schema>
          : Bytes
  : never;
/** The type of a response body: a whole value, or a stream unless it is JSON or encoded by a codec. */
type Sent<MediaType extends string, Schema, Codecs> = MediaType extends Codecs
  ? Immutable<Schema>
  : IsJson<Essence<MediaType>> extends true
    ? Immutable<Schema>
    : Essence<MediaType> extends JsonSequence | 'text/event-stream'
      ? Schema extends readonly (infer Item)[]
        ? Immutable<Schema> | AsyncIterable<Immutable<Item>>
        : Streamed | Parsed<MediaType, Schema, Bytes>
      : Streamed | Parsed<MediaType, Schema, Bytes>;
/** A deeply readonly value, so that readonly arrays and objects are accepted, too. */
type Immutable<Value> = unknown extends Value
  ? Value
  : Value extends Primitive | ((...parameters: never[]) => unknown)
    ? Value
    : { readonly [Name in keyof Value]: Immutable<Value[Name]> };
type Primitive = string | number | bigint | boolean | null | undefined;
/** A stream of chunks; includes web streams and `Readable`. */
type Streamed = AsyncIterable<string | Uint8Array>;
type Essence<MediaType extends string> = MediaType extends `${infer Type};${string}`
  ? Lowercase<Type>
  : Lowercase<MediaType>;
type IsJson<Essence> = Essence extends `${string}/json` | `${string}+json` ? true : false;
type JsonSequence = `application/${'jsonl' | 'ndjson' | 'x-ndjson' | 'json-seq' | `${string}+json-seq`}`;
/** The type of a sequence: a list if the document describes its items, else bytes. */
type Items<Schema, Bytes> = unknown extends Schema ? Bytes : Schema;
/** The type of a text: a string if the schema allows strings, else the scalar types of the schema. */
type Text<Schema> = unknown extends Schema
  ? string
  : [Extract<Schema, string>] extends [never]
    ? [Exclude<Schema, Primitive>] extends [never]
      ? Schema
      : string
    : Extract<Schema, string>;

type AnyReplyOf<Responses, Codecs> = {
  [Status in keyof Responses]: {
    readonly status: StatusOf<Status, keyof Responses>;
  } & BodyOut<Responses[Status], Codecs> &
    HeadersOf<Responses[Status]>;
}[keyof Responses];

/** The statuses of a key of `responses`. `default` includes every failure status without a key of its own. */
type StatusOf<Status, DocumentedStatus> = Status extends number
  ? Status
  : Status extends keyof StatusRanges
    ? Exclude<StatusRanges[Status], DocumentedStatus>
    : Exclude<FailureStatus, DocumentedStatus>;

type BodyOut<Response, Codecs> = Response extends { content: infer Content }
  ? [Content[keyof Content]] extends [never]
    ? { readonly body?: undefined }
    : { [MediaType in keyof Content]: BodyOfType<MediaType, Content, Codecs> }[keyof Content] | Undecided<keyof Content>
  : { readonly body?: undefined };

/**
 * A reply that no value satisfies, for responses without a default media type. Makes the compiler report a missing
 * `contentType`, rather than a body of the wrong type.
 */
type Undecided<MediaType> = [DefaultType<MediaType>] extends [never]
  ? { readonly contentType?: never; readonly body: never }
  : never;

/** The default media type of a body: the only documented media type, or JSON. */
type DefaultType<MediaType> =
  IsUnion<MediaType> extends true
    ? Only<PlainJson<MediaType>> extends infer Plain extends string
      ? [Plain] extends [never]
        ? Only<AnyJson<MediaType>>
        : Plain
      : never
    : MediaType extends `${string}/*`
      ? never
      : MediaType;
type PlainJson<MediaType> = MediaType extends string
  ? Essence<MediaType> extends 'application/json'
    ? MediaType
    : never
  : never;
type AnyJson<MediaType> = MediaType extends string
  ? IsJson<Essence<MediaType>> extends true
    ? MediaType
    : never
  : never;
type Only<T> = IsUnion<T> extends true ? never : T;

/** A body and its media type, which is optional for the {@link DefaultType}. */
type BodyOfType<MediaType extends keyof Content, Content, Codecs> = MediaType extends `${string}/*`
  ? | { readonly contentType: Concrete<MediaType>; readonly body: Bytes | Streamed }
    | (MediaType extends '*/*' | 'application/*'
        ? { readonly contentType: 'application/json'; readonly body: Content[MediaType] }
        : never)
  : MediaType extends string
    ? { readonly body: Sent<MediaType, Content[MediaType], Codecs> } & (MediaType extends DefaultType<keyof Content>
        ? { readonly contentType?: MediaType }
        : { readonly contentType: MediaType })
    : never;
type Bytes = string | Uint8Array | Blob;

/** The media types that a range such as `image/*` includes. */
type Concrete<MediaType> = MediaType extends '*/*'
  ? `${string}/${string}`
  : MediaType extends `${infer Type}/*`
    ? `${Type}/${string}`
    : MediaType;
type IsUnion<T, Whole = T> = T extends unknown ? ([Whole] extends [T] ? false : true) : never;

type HeadersOf<Response> = Response extends { headers: infer Headers }
  ? object extends Documented<Headers>
    ? { readonly headers?: Documented<Headers> }
    : { readonly headers: Documented<Headers> }
  : unknown;

/** Omits the index signature for undocumented headers. */
type Documented<Headers> = { readonly [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] };

/** The media types of the responses of an operation. */
type SentTypeOf<Responses> = {
  [Status in keyof Responses]: Responses[Status] extends { content: infer Content } ? Concrete<keyof Content> : never;
}[keyof Responses] &
  string;

/** The IANA-registered status codes, by class. */
type StatusRanges = {
  '2XX': 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;
  '3XX': 300 | 301 | 302 | 303 | 304 | 307 | 308;
  '4XX':
    | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417)
    | (421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451);
  '5XX': 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 511;
};
type FailureStatus = StatusRanges['4XX'] | StatusRanges['5XX'];

/** An identity that credentials prove. */
export type Identity = {
  readonly name: string;
  /** The granted scopes and roles; none by default. `all`: the credentials grant every scope. */
  readonly scopes?: readonly string[] | 'all';
  /** The claims of a JSON Web Token, or other attributes from a checker. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
};

/** The authenticated sender of a request. */
export type Caller = Identity & {
  /** The security scheme that proved the identity. */
  readonly scheme: string;
};
