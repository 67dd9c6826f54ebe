import type { Client } from 'openapi-fetch';
import type { Formats } from '../src/handlers/format-converter.ts';
import type { FailuresOf, HandlerOf, ReplyOf, RequestOf } from '../src/handlers/handler-types.ts';
import type { operations } from '@contract-first/testing/fixture/generated/types.ts';
import type {
  Handlers,
  Matched,
  OperationId,
  Paths,
  Reply,
  Request,
  Unmatched,
} from '@contract-first/testing/fixture/src/guests/contract.ts';

type Handler<Id extends OperationId> = HandlerOf<operations[Id]>;

// This file is only type-checked, never run. None of the following may compile.

export const none = {} satisfies Handlers;
export interface MissingHandler extends Unmatched<typeof none> {
  // @ts-expect-error Property 'createGuest' of type '"an operation without a handler"' is not assignable
  readonly [name: string]: Matched;
}

export interface StaleHandler extends Unmatched<{
  createGuest: Handler<'createGuest'>;
  oldThing: Handler<'createGuest'>;
}> {
  // @ts-expect-error Property 'oldThing' of type '"a handler without an operation"' is not assignable
  readonly [name: string]: Matched;
}

// @ts-expect-error the handler of an operation is a function
export const noFunction: Handlers = { createGuest: undefined };

// @ts-expect-error 201 is not documented
export const wrongHandler: Handlers = { createGuest: async () => ({ status: 201, body: { name: 'Anna' } }) };

export async function undocumentedStatus(): Promise<Reply<'createGuest'>> {
  // @ts-expect-error 201 is not documented
  return { status: 201, body: { name: 'Anna' } };
}

export async function wrongBody(): Promise<Reply<'createGuest'>> {
  // @ts-expect-error 200 has a Guest, not an Error
  return { status: 200, body: { error: 200, message: 'no' } };
}
export async function errorAsGuest(): Promise<Reply<'createGuest'>> {
  // @ts-expect-error 400 has an Error, not a Guest
  return { status: 400, body: { name: 'Anna' } };
}

export async function extraProperty({ body }: Request<'createGuest'>): Promise<Reply<'createGuest'>> {
  // @ts-expect-error a Guest has no id
  return { status: 200, body: { name: body.name, id: body.id } };
}

export const extraPropertyInline: Handlers = {
  createGuest: async ({ body }) => {
    // @ts-expect-error a Guest has no id
    return { status: 200, body: { name: body.name, id: body.id } } satisfies Reply<'createGuest'>;
  },
};

export async function missingHeader(): Promise<Reply<'createGuest'>> {
  // @ts-expect-error 401 requires a WWW-Authenticate header
  return { status: 401, body: { error: 401, message: 'no' } };
}

export async function wrongId({ body }: Request<'createGuest'>): Promise<number> {
  // @ts-expect-error an int64 is a bigint
  return body.id;
}

export async function certainCaller({ caller }: Request<'createGuest'>): Promise<string> {
  // @ts-expect-error the caller is optional where the document allows anonymous requests
  return caller;
}

// Calls of a client with the document's types are also type-checked.
export async function misuses(client: Client<Paths>): Promise<void> {
  // @ts-expect-error an int64 is a bigint
  await client.POST('/guests', { body: { id: 1, name: 'Anna' } });
  // @ts-expect-error a NewGuest has an id
  await client.POST('/guests', { body: { name: 'Anna' } });
  // @ts-expect-error a tag is a string
  await client.POST('/guests', { body: { id: 1n, name: 'Anna', tag: 1 } });
  // @ts-expect-error there must be a body
  await client.POST('/guests');
  // @ts-expect-error the path does not exist
  await client.POST('/trees', { body: { id: 1n, name: 'Anna' } });
  // @ts-expect-error guests cannot be replaced
  await client.PUT('/guests');

  const { data } = await client.POST('/guests', { body: { id: 1n, name: 'Anna' } });
  // @ts-expect-error there may be no guest
  data.name.trim();
}

type Content<MediaTypes extends string> = { readonly [MediaType in MediaTypes]: string };
type Operation<MediaTypes extends string> = {
  readonly parameters: object;
  readonly responses: { readonly 200: { readonly headers: object; readonly content: Content<MediaTypes> } };
};
type Answer<MediaTypes extends string> = ReplyOf<Operation<MediaTypes>>;

export const undecided: readonly unknown[] = [
  // @ts-expect-error one of the two has to be chosen
  { status: 200, body: 'x' } satisfies Answer<'text/plain' | 'text/csv'>,
  // @ts-expect-error one of the two has to be chosen
  { status: 200, body: 'x' } satisfies Answer<'application/hal+json' | 'application/problem+json'>,
  // @ts-expect-error a range is not a media type
  { status: 200, body: 'x' } satisfies Answer<'text/*'>,
];

type TextOperation<Schema> = {
  readonly parameters: object;
  readonly requestBody: { readonly content: { readonly 'text/plain': Schema } };
  readonly responses: {
    readonly 200: { readonly headers: object; readonly content: { readonly 'text/plain': Schema } };
  };
};

export const texts: readonly unknown[] = [
  { status: 200, body: 3 } satisfies ReplyOf<TextOperation<number>>,
  { status: 200, body: 'x' } satisfies ReplyOf<TextOperation<string | number>>,
  { status: 200, body: 'x' } satisfies ReplyOf<TextOperation<{ a?: number }>>,
  // @ts-expect-error the text is a number
  { status: 200, body: '3' } satisfies ReplyOf<TextOperation<number>>,
  // @ts-expect-error a text that may be a string is one
  { status: 200, body: 3 } satisfies ReplyOf<TextOperation<string | number>>,
];

export function countOf({ body }: RequestOf<TextOperation<number>>): number {
  return body;
}

type AnyBody<Schema> = {
  readonly parameters: object;
  readonly requestBody: { readonly content: { readonly '*/*': Schema } };
  readonly responses: object;
};

export function bytesOf({ body }: RequestOf<AnyBody<unknown>>): Blob {
  return body;
}

export function jsonOf({ body }: RequestOf<AnyBody<{ readonly a: number }>>): number {
  // @ts-expect-error the body may be a Blob
  const value: { readonly a: number } = body;
  return body instanceof Blob ? value.a : body.a;
}

export function nobody({ caller }: RequestOf<Operation<'application/json'>>): string {
  // @ts-expect-error where credentials are not required, there may be none
  return caller.name;
}

type Linked = {
  readonly get: {
    readonly parameters: { readonly path: { id: string }; readonly query?: { full?: boolean } };
    readonly responses: object;
  };
  readonly list: {
    readonly parameters: { readonly path?: never; readonly query: { limit: number } };
    readonly responses: object;
  };
};

export function brokenLinks({ url }: RequestOf<Linked['list'], Linked>): readonly string[] {
  return [
    // @ts-expect-error there is no such operation
    url('other'),
    // @ts-expect-error its path has an id
    url('get'),
    // @ts-expect-error an id is a string
    url('get', { path: { id: 1 } }),
    // @ts-expect-error a limit is a number
    url('list', { query: { limit: 'all' } }),
  ];
}

type Trip = { readonly train: bigint };
type TripContent<MediaTypes extends string> = { readonly [MediaType in MediaTypes]: Trip };
type Trips<MediaTypes extends string> = {
  readonly codecs: 'application/xml';
  readonly parameters: object;
  readonly requestBody: { readonly content: TripContent<MediaTypes> };
  readonly responses: { readonly 200: { readonly headers: object; readonly content: TripContent<MediaTypes> } };
};
type XmlOrPdf = Trips<'application/xml' | 'application/pdf'>;

export const coded: readonly unknown[] = [
  // @ts-expect-error a body with a codec is a value, not text
  { status: 200, contentType: 'application/xml', body: '<trip/>' } satisfies ReplyOf<XmlOrPdf>,
  // @ts-expect-error its schema has no member of this name
  { status: 200, contentType: 'application/xml', body: { train: 1n, fare: 1 } } satisfies ReplyOf<XmlOrPdf>,
  // @ts-expect-error a media type without a codec is bytes
  { status: 200, contentType: 'application/pdf', body: { train: 1n } } satisfies ReplyOf<XmlOrPdf>,
  // @ts-expect-error the media type does not follow from the document
  { status: 200, body: { train: 1n } } satisfies ReplyOf<XmlOrPdf>,
];

// @ts-expect-error a body with a codec is not a Blob
export const codedBody = ({ body }: RequestOf<Trips<'application/xml'>>): Pick<Blob, 'size'> => body;

// @ts-expect-error a body without a codec is a Blob
export const uncodedBody = ({ body }: RequestOf<Trips<'application/pdf'>>): Trip => body;

type Coded<Codec> = FailuresOf<{ No: { mediaType: 'application/xml'; schema: Trip } & Codec }>;
// @ts-expect-error a failure with a codec is a value
export const codedFailure: Coded<{ codec: true }> = { No: () => '<trip/>' };
// @ts-expect-error a failure without a codec is text
export const textFailure: Coded<object> = { No: () => ({ train: 1n }) };

export const times: Formats<{ 'date-time': Date }> = {
  'date-time': { decode: (text) => new Date(text), encode: (date) => date.toISOString() },
};
/** Types in the form of the generator. */
type Decoded<Name extends keyof typeof times> = ReturnType<(typeof times)[Name]['decode']>;
type Timed = {
  readonly parameters: { readonly query: { readonly after: Decoded<'date-time'> } };
  readonly responses: {
    readonly 200: { readonly content: { readonly 'application/json': { readonly at: Decoded<'date-time'> } } };
  };
};

export const wrongTimes: readonly unknown[] = [
  // @ts-expect-error a reply has a Date, not a string
  { status: 200, body: { at: '2026-01-01T00:00:00Z' } } satisfies ReplyOf<Timed>,
];

export function wrongTime({ query }: RequestOf<Timed>): string {
  // @ts-expect-error a request has a Date, not a string
  return query.after;
}

export const wrongDecoder: Formats<{ date: Date }> = {
  // @ts-expect-error a decoder returns the declared type
  date: { decode: (text) => text, encode: (date) => date.toISOString() },
};

export const wrongEncoder: Formats<{ date: Date }> = {
  // @ts-expect-error an encoder returns a string
  date: { decode: (text) => new Date(text), encode: (date) => date },
};

// @ts-expect-error a declared format has a codec
export const noCodec: Formats<{ date: Date }> = {};

export const files: Formats<{ binary: Uint8Array }> = {
  // @ts-expect-error files and bytes are Blobs
  binary: { decode: (text) => Buffer.from(text), encode: String },
};

// The following must compile.
export const decoded: readonly unknown[] = [
  { status: 200, contentType: 'application/xml', body: { train: 1n } } satisfies ReplyOf<XmlOrPdf>,
  { status: 200, contentType: 'application/pdf', body: 'x' } satisfies ReplyOf<XmlOrPdf>,
  ({ body }: RequestOf<XmlOrPdf>) => (body instanceof Blob ? body.size : body.train),
  { No: () => ({ train: 1n }) } satisfies Coded<{ codec: true }>,
];

export function links({ url }: RequestOf<Linked['list'], Linked>): readonly string[] {
  return [url('list'), url('list', { query: { limit: 1 } }), url('get', { path: { id: 'a' }, query: { full: true } })];
}

export const rightTime: ReplyOf<Timed> = { status: 200, body: { at: new Date() } };
export const rightTimes = ({ query }: RequestOf<Timed>): Date => query.after;
export const decided: readonly unknown[] = [
  { status: 200, body: 'x' } satisfies Answer<'application/json' | 'text/csv'>,
  { status: 200, body: 'x' } satisfies Answer<'application/problem+json' | 'application/json; charset=utf-8'>,
  { status: 200, body: 'x' } satisfies Answer<'application/hal+json' | 'text/csv'>,
  { status: 200, contentType: 'text/csv', body: 'x' } satisfies Answer<'application/json' | 'text/csv'>,
];

export function somebody({ caller }: Request<'createGuest'>): string {
  return caller.name;
}

export interface EveryHandler extends Unmatched<{ [Id in OperationId]: Handler<Id> }> {
  readonly [name: string]: Matched;
}

export async function documentedStatus(): Promise<Reply<'createGuest'>> {
  return { status: 401, headers: { 'WWW-Authenticate': 'Bearer' }, body: { error: 401, message: 'no' } };
}

export async function anyOtherFailure(): Promise<Reply<'createGuest'>> {
  return { status: 503, body: { error: 503, message: 'later' } };
}

export async function undocumentedType({ accepts }: Request<'createGuest'>): Promise<string> {
  // @ts-expect-error the responses are JSON
  return accepts('application/json', 'text/csv');
}
