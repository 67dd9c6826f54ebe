import { describe, expect, test } from '@jest/globals';
import { expectProblem } from '../support/answer.ts';
import { FIELDS, serveBody } from '../support/serve-body.ts';

describe('optional bodies', () => {
  const OPTIONAL = '{ content: { application/json: { schema: { type: object } } } }';

  test('a missing body is undefined with any Content-Type', async () => {
    const { send, received } = await serveBody(OPTIONAL);
    expect((await send(undefined)).status).toBe(204);
    expect((await send('text/plain')).status).toBe(204);
    expect(received.map(({ body, contentType }) => [body, contentType])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  test('a sent body is validated', async () => {
    const { send } = await serveBody(OPTIONAL);
    expectProblem(await send('application/json', '[]'), 400, /body must be object/);
    expectProblem(await send('text/plain', '{}'), 415, /application\/json/);
  });
});

describe('several media types', () => {
  const SEVERAL = `{ required: true, content: {
    application/json: { schema: { type: object, required: [a], properties: { a: { type: integer } } } },
    application/merge-patch+json: { schema: { type: object, required: [b] } },
    application/x-www-form-urlencoded: { schema: ${FIELDS} },
    text/*: { schema: { type: string, maxLength: 5 } }, text/csv: { schema: { type: string } },
    image/png: {}, '*/*': { schema: { type: string, format: binary } } } }`;

  test.each<[string, string, unknown]>([
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/merge-patch+json; charset=utf-8', '{"b":1}', { b: 1 }],
    [
      'application/x-www-form-urlencoded',
      'name=a+b&count=0&ready=false&tags=x',
      { name: 'a b', count: 0, ready: false, tags: ['x'], level: 3 },
    ],
    ['text/plain', 'é🌿', 'é🌿'],
    ['text/csv', 'a,b,c,d,e', 'a,b,c,d,e'],
  ])('%s %s', async (contentType, body, value) => {
    const { send, received } = await serveBody(SEVERAL);
    expect((await send(contentType, body)).status).toBe(204);
    expect(received[0]).toMatchObject({ contentType, body: value });
  });

  test.each(['image/png', 'application/octet-stream', 'video/mp4'])('%s is bytes', async (contentType) => {
    const { send, received } = await serveBody(SEVERAL);
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect((await send(contentType, bytes)).status).toBe(204);
    const body = received[0]?.body as Blob;
    expect(body.type).toBe(contentType);
    expect(Buffer.from(await body.arrayBuffer())).toEqual(bytes);
  });

  test.each<[string, string | Buffer, number, RegExp]>([
    ['application/json', '{"a":"1"}', 400, /body\/a must be integer/],
    ['application/merge-patch+json', '{"a":1}', 400, /required property 'b'/],
    ['text/plain', 'too long', 400, /body must NOT have more than 5 characters/],
    ['text/plain', Buffer.from([0xff]), 400, /UTF-8/],
    ['image', 'x', 415, /application\/json, application\/merge-patch\+json/],
  ])('%s %s is refused', async (contentType, body, status, message) => {
    const { send } = await serveBody(SEVERAL);
    expectProblem(await send(contentType, body), status, message);
  });
});

test.each([
  ['text/plain', ''],
  ['application/x-www-form-urlencoded', {}],
])('an empty body of type %s is valid', async (contentType, value) => {
  const { send, received } = await serveBody(`{ required: true, content: { '${contentType}': {} } }`);
  expect((await send(contentType, '')).status).toBe(204);
  expect(received[0]).toMatchObject({ contentType, body: value });
});

test('text in another charset is refused', async () => {
  const { send } = await serveBody('{ content: { text/plain: { schema: { type: string } } } }');
  expectProblem(await send('text/plain; charset=utf-16le', 'x'), 415, /UTF-8/);
  expect((await send('text/plain; charset="UTF-8"', 'x')).status).toBe(204);
});
