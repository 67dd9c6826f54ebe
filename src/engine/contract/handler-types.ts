/** An operation as openapi-typescript describes it. */
export type OperationTypes = {
  readonly parameters: {
    readonly path?: unknown;
    readonly query?: unknown;
    readonly header?: unknown;
    readonly cookie?: unknown;
  };
  readonly responses: object;
};

/** The request of an operation. It has been validated; int64s are bigints. */
export type RequestOf<Op extends OperationTypes> = {
  readonly path: Values<Op['parameters']['path']>;
  readonly query: Values<Op['parameters']['query']>;
  readonly headers: Values<Op['parameters']['header']>;
  readonly cookies: Values<Op['parameters']['cookie']>;
  /** The name of the token or the `sub` of the JSON Web Token. `undefined` only for operations that are open to all. */
  readonly caller: string | undefined;
} & RequestBody<Op>;

/** A documented response of an operation: one of its statuses, with the headers and the body documented for it. */
export type ReplyOf<Op extends OperationTypes> = AnyReplyOf<Op['responses']>;

/** The function behind an operation. What it throws becomes a 500 with a fixed text; the cause goes to the log only. */
export type HandlerOf<Op extends OperationTypes> = (request: RequestOf<Op>) => Promise<ReplyOf<Op>>;

/**
 * Handlers by operationId, each typed by its operation. {@link UnmatchedOf} names the missing and the superfluous ones:
 * TypeScript itself names at most four missing properties, and none beside a superfluous one.
 */
export type HandlersOf<Operations extends Record<keyof Operations, OperationTypes>> = {
  readonly [Id in keyof Operations]?: HandlerOf<Operations[Id]>;
} & { readonly [name: string]: (request: never) => Promise<unknown> };

/**
 * The differences between operations and handlers, by name. An interface that extends this type with an index signature
 * of {@link Matched} does not compile while there are any, with one error for each name.
 */
export type UnmatchedOf<OperationId extends PropertyKey, Written> = {
  readonly [Id in Exclude<OperationId, keyof Written>]: 'an operation without a handler';
} & { readonly [Name in Exclude<keyof Written, OperationId>]: 'a handler without an operation' };

/** The opposite of {@link UnmatchedOf}. */
export type Matched = 'an operation with its handler';

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

type AnyReplyOf<Responses> = {
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
