import request from 'supertest';
import type { FailureDetails, RequestOf } from '@contract-first/contract';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

type Get = RequestOf<{
  readonly parameters: object;
  readonly responses: { 200: { content: Record<string, unknown> } };
}>;

const NOT_ACCEPTABLE = `
  '406':
    description: No type.
    headers: { Vary: { required: true, schema: { type: string } } }
    content: { application/problem+json: { schema: { type: object, required: [status, detail] } } }`;
const failures = { op406: ({ status, message }: FailureDetails) => ({ status, detail: message }) };
const JSON_AND_CSV = ['application/json', 'text/csv'] as const;

type Given = {
  readonly mediaTypes?: readonly string[];
  readonly responses?: string;
  readonly method?: 'get' | 'post';
  /** Whether the handler does not use `accepts`. */
  readonly isFixed?: boolean;
  readonly vary?: string;
};

/** Serves an operation whose handler responds with the preferred media type. */
async function serve({ mediaTypes = JSON_AND_CSV, responses = '', method = 'get', isFixed, vary }: Given = {}) {
  const content = mediaTypes.map((mediaType) => `'${mediaType}': { schema: { type: string } }`).join(', ');
  const headers = 'headers: { Vary: { schema: { type: string } }, ETag: { schema: { type: string } } }';
  const done = `responses:\n  '200': { description: It., ${headers}, content: { ${content} } }${responses}`;
  const contract = await contractOf(documentOf('/a', method, done));
  let calls = 0;
  const op = async ({ accepts }: Get) => {
    calls += 1;
    const [first = '', ...others] = mediaTypes;
    const contentType = isFixed === true ? first : accepts(first, ...others);
    return { status: 200, headers: { ETag: '"1"', Vary: vary }, contentType, body: 'it' };
  };
  const { app } = await createTestApp({ contract, handlers: { op }, failures });
  const send = async (accept: string | string[], others: Readonly<Record<string, string>> = {}) => {
    const base = method === 'get' ? request(app).get('/a') : request(app).post('/a');
    const sent = base.set({ Accept: accept, ...others });
    const { status, headers: received } = await sent.buffer();
    return { status, type: received['content-type'], vary: received['vary'], etag: received['etag'] };
  };
  return { send, calls: () => calls };
}

test.each<[string | string[], 'application/json' | 'text/csv']>([
  ['text/csv', 'text/csv'],
  ['TEXT/CSV', 'text/csv'],
  ['text/*', 'text/csv'],
  ['*/*', 'application/json'],
  ['', 'application/json'],
  ['application/json;q=0.5, text/csv', 'text/csv'],
  ['application/json; Q=0.5 , text/csv;q=0.6', 'text/csv'],
  ['application/json;q=0.001, text/csv;q=0', 'application/json'],
  ['application/json;q=0, */*;q=0.1', 'text/csv'],
  ['*/*;q=0.1, application/*;q=0.2, text/*;q=0.3', 'text/csv'],
  ['text/*, text/csv;q=0.1, */*;q=0.2', 'application/json'],
  [['application/json;q=0.1', 'text/csv'], 'text/csv'],
  ['text/csv, application/json', 'application/json'],
  ['text/html, *; q=.2, */*; q=.2', 'application/json'],
  ['text/csv;charset=iso-8859-1', 'text/csv'],
  [',, text/csv ,,', 'text/csv'],
  // Malformed members are ignored.
  ['garbage, text/csv', 'text/csv'],
  ['garbage', 'application/json'],
  ['text/csv;q=2', 'application/json'],
  ['text/csv;q=high', 'application/json'],
  ['text/csv;q=', 'application/json'],
  ['text/csv;q="', 'application/json'],
  ['text/html;x="a, application/json", text/csv', 'text/csv'],
  ['*/csv, text/csv;q=0.5', 'text/csv'],
])('Accept: %j selects %s', async (accept, type) => {
  const { send } = await serve({ responses: NOT_ACCEPTABLE });
  expect(await send(accept)).toMatchObject({ status: 200, type: expect.stringContaining(type), vary: 'Accept' });
});

test.each<[string, string]>([
  ['application/json;profile=b', 'application/json;profile=b'],
  ['application/json;profile="b"', 'application/json;profile=b'],
  ['application/json', 'application/json'],
  ['application/json;profile=a;q=0.5, application/json;profile=b', 'application/json;profile=b'],
  ['application/json;q=0.5, application/json;profile=a', 'application/json;profile=a'],
  ['application/json;profile=c, */*;q=0.1, application/json;profile=a;q=0.2', 'application/json;profile=a'],
])('Accept: %s selects %s by its parameters', async (accept, type) => {
  const mediaTypes = ['application/json', 'application/json;profile=a', 'application/json;profile=b'];
  const { send } = await serve({ mediaTypes });
  expect(await send(accept)).toMatchObject({ status: 200, type });
});

test.each(['image/png', 'text/csv;q=0, application/json;q=0.000', '*/*;q=0', 'application/json;profile=x'])(
  'Accept: %s is answered 406 before the handler if the document has 406, else with the first type',
  async (accept) => {
    for (const given of [{}, { isFixed: true }, { method: 'post' }] satisfies readonly Given[]) {
      const refusing = await serve({ ...given, responses: NOT_ACCEPTABLE });
      const refused = { status: 406, type: 'application/problem+json', vary: 'Accept' };
      expect(await refusing.send(accept)).toMatchObject(refused);
      expect(refusing.calls()).toBe(0);
      const lenient = await serve({ ...given, responses: '\n  default: { description: Failed. }' });
      expect(await lenient.send(accept)).toMatchObject({ status: 200, type: 'application/json' });
    }
  },
);

test('a handler with a response of any type refuses the types that it cannot send', async () => {
  const contract = await contractOf(
    documentOf('/a', 'get', `responses:\n  '200': { description: It., content: { image/*: {} } }${NOT_ACCEPTABLE}`),
  );
  const op = async ({ accepts }: Get) => ({ status: 200, contentType: accepts('image/png', 'image/webp'), body: 'it' });
  const { app, logged } = await createTestApp({ contract, handlers: { op }, failures });
  const statuses = ['image/webp', 'image/gif', 'text/csv'].map(
    async (accept) => (await request(app).get('/a').set('Accept', accept)).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 406, 406]);
  expect(logged.filter(({ msg }) => msg === 'request failed')).toEqual([]);
});

test('Vary has Accept once beside the Vary of the handler, in 304, and only if the response depends on Accept', async () => {
  const accept = 'text/csv';
  const vary = async (given: Given, others = {}) => (await (await serve(given)).send(accept, others)).vary;
  expect(await vary({ vary: 'Accept-Language' })).toBe('Accept-Language, Accept');
  expect(await vary({ vary: 'accept, Cookie' })).toBe('accept, Cookie');
  expect(await vary({ vary: '*' })).toBe('*');
  expect(await vary({ isFixed: true })).toBeUndefined();
  expect(await vary({ isFixed: true, responses: NOT_ACCEPTABLE })).toBe('Accept');
  const { send } = await serve({ responses: '\n  304: { description: Same. }' });
  expect(await send(accept, { 'If-None-Match': '"1"' })).toMatchObject({ status: 304, vary: 'Accept', etag: '"1"' });
});

test('Vary has Accept and Origin with CORS', async () => {
  const contract = await contractOf(
    documentOf('/a', 'get', "responses: { '200': { description: It., content: { text/csv: {} } } }"),
  );
  const op = async ({ accepts }: Get) => ({ status: 200, contentType: accepts('text/csv'), body: 'it' });
  const cors = { origins: ['https://app.example.com'], credentials: false, maxAgeSeconds: 1 };
  const { app } = await createTestApp({ contract, handlers: { op }, cors });
  const { headers } = await request(app).get('/a').set('Origin', 'https://app.example.com');
  expect(headers['vary']).toBe('Accept, Origin');
});
