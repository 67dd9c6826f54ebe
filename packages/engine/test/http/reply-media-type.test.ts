import { expect, test } from '@jest/globals';
import request from 'supertest';
import type { ReplyOf, RequestOf } from '@contract-first/contract';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

test.each([
  ['JSON, among others', ['text/csv', 'application/json'], 'application/json'],
  ['JSON, in another spelling', ['text/csv', 'Application/JSON; charset=utf-8'], 'Application/JSON; charset=utf-8'],
  ['JSON before problem details', ['application/problem+json', 'application/json'], 'application/json'],
  ['the only kind of JSON', ['text/csv', 'application/hal+json'], 'application/hal+json'],
  ['the only one', ['application/problem+json'], 'application/problem+json'],
])('200: a reply without a media type has %s', async (_name, mediaTypes, sent) => {
  const content = mediaTypes.map((mediaType) => `${mediaType}: { schema: { type: string } }`).join(', ');
  const operation = `responses: { '200': { description: It., content: { ${content} } } }`;
  const contract = await contractOf(documentOf('/a', 'get', operation));
  const op = () => Promise.resolve({ status: 200, body: 'text' });
  const { app } = await createTestApp({ contract, handlers: { op } });
  const response = await request(app).get('/a').buffer();
  expect({ type: response.headers['content-type'], body: response.text }).toEqual({
    type: sent,
    body: '"text"',
  });
});

type Content<MediaTypes extends string> = { readonly [MediaType in MediaTypes]: string };
type Operation<MediaTypes extends string> = {
  readonly parameters: object;
  readonly responses: { readonly 200: { readonly headers: object; readonly content: Content<MediaTypes> } };
};
type Reply<MediaTypes extends string> = ReplyOf<Operation<MediaTypes>>;

// Type-checked, never run.
export const replies: readonly unknown[] = [
  { status: 200, body: 'x' } satisfies Reply<'application/json' | 'text/csv'>,
  { status: 200, body: 'x' } satisfies Reply<'application/problem+json' | 'application/json; charset=utf-8'>,
  { status: 200, body: 'x' } satisfies Reply<'application/hal+json' | 'text/csv'>,
  { status: 200, contentType: 'text/csv', body: 'x' } satisfies Reply<'application/json' | 'text/csv'>,
  // @ts-expect-error one of the two has to be chosen
  { status: 200, body: 'x' } satisfies Reply<'text/plain' | 'text/csv'>,
  // @ts-expect-error one of the two has to be chosen
  { status: 200, body: 'x' } satisfies Reply<'application/hal+json' | 'application/problem+json'>,
  // @ts-expect-error a range is no media type
  { status: 200, body: 'x' } satisfies Reply<'text/*'>,
];

export function callers(
  open: RequestOf<Operation<'application/json'>>,
  closed: RequestOf<Operation<'application/json'> & { readonly security: 'required' }>,
): readonly string[] {
  // @ts-expect-error without required credentials, there may be none
  return [closed.caller.name, open.caller.name];
}
