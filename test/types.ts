import type { Handlers, Reply, Request } from '../src/contract/contract.ts';

// Read by the type check, never run: each of these must not compile.

// A missing handler is an error that names the operation.
// @ts-expect-error Property 'createPlant' is missing
export const missing: Handlers = {};

export async function undocumentedStatus(): Promise<Reply<'createPlant'>> {
  // @ts-expect-error 201 is not documented
  return { status: 201, body: { name: 'Fern' } };
}

export async function wrongBody(): Promise<Reply<'createPlant'>> {
  // @ts-expect-error 200 has a Plant, not an Error
  return { status: 200, body: { error: 200, message: 'no' } };
}
export async function errorAsPlant(): Promise<Reply<'createPlant'>> {
  // @ts-expect-error 400 has an Error, not a Plant
  return { status: 400, body: { name: 'Fern' } };
}

export async function extraProperty({ body }: Request<'createPlant'>): Promise<Reply<'createPlant'>> {
  // @ts-expect-error a Plant has no id
  return { status: 200, body: { name: body.name, id: body.id } };
}

export const extraPropertyInline: Handlers = {
  createPlant: async ({ body }) => {
    // @ts-expect-error a Plant has no id
    return { status: 200, body: { name: body.name, id: body.id } } satisfies Reply<'createPlant'>;
  },
};

export async function missingHeader(): Promise<Reply<'createPlant'>> {
  // @ts-expect-error 401 has a WWW-Authenticate header
  return { status: 401, body: { error: 401, message: 'no' } };
}

export async function wrongId({ body }: Request<'createPlant'>): Promise<number> {
  // @ts-expect-error an int64 is a bigint
  return body.id;
}

// And these must.
export async function documentedStatus(): Promise<Reply<'createPlant'>> {
  return { status: 401, headers: { 'WWW-Authenticate': 'Bearer' }, body: { error: 401, message: 'no' } };
}

export async function anyOtherFailure(): Promise<Reply<'createPlant'>> {
  return { status: 503, body: { error: 503, message: 'later' } };
}
