import { createServer } from 'node:http';
import request from 'supertest';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

/** Sends a request through trusted proxies. Returns the client address and the origin of a link. */
async function receive(headers: Readonly<Record<string, string | string[]>>, trustProxy: readonly string[]) {
  const contract = await contractOf(
    documentOf('/a', 'get', "responses: { '200': { description: It., content: { text/plain: {} } } }"),
  );
  const op = async ({ url }: { readonly url: (operationId: string) => string }) => ({ status: 200, body: url('op') });
  const { app, logged } = await createTestApp({ contract, handlers: { op }, trustProxy });
  const { status, text } = await request(createServer({ maxHeaderSize: 2 ** 20 }, app))
    .get('/a')
    .set({ Host: 'internal', ...headers } as Record<string, string>);
  expect(status).toBe(200);
  return { address: logged[0]?.['clientAddress'], origin: text.replace(/\/a$/, '') };
}

const ONE = ['1'];
const TWO = ['2'];
const SUBNETS = ['loopback', '192.0.2.0/24'];

test.each<[string | string[], readonly string[], string, string]>([
  ['for=192.0.2.1;proto=https;host=api.example.com', ONE, '192.0.2.1', 'https://api.example.com'],
  [
    'FOR="192.0.2.1:4711" ; Proto=HTTPS ; Host="api.example.com:8443"',
    ONE,
    '192.0.2.1',
    'https://api.example.com:8443',
  ],
  ['for="[2001:DB8::1]:4711"', ONE, '2001:db8::1', 'http://internal'],
  ['for="[2001:db8::1]"', ONE, '2001:db8::1', 'http://internal'],
  ['for="192.0.2.1:_port"', ONE, '192.0.2.1', 'http://internal'],
  // The elements of other proxies than the trusted ones come from the client.
  ['for=203.0.113.7;host=evil.example, for=192.0.2.1;host=api.example.com', ONE, '192.0.2.1', 'http://api.example.com'],
  ['for=203.0.113.7;host=api.example.com, for=192.0.2.1;host=inner', TWO, '203.0.113.7', 'http://api.example.com'],
  [['for=203.0.113.7;host=api.example.com', 'for=192.0.2.1'], TWO, '203.0.113.7', 'http://api.example.com'],
  ['for=203.0.113.7, for=192.0.2.1', SUBNETS, '203.0.113.7', 'http://internal'],
  ['for=203.0.113.7, for=192.0.2.1', ['loopback'], '192.0.2.1', 'http://internal'],
  ['for=192.0.2.1;proto=https', ['9'], '192.0.2.1', 'https://internal'],
  // If a header names no address, the client has the address of the proxy that sent the header.
  ['for=unknown;proto=https', ONE, '127.0.0.1', 'https://internal'],
  ['for=_hidden', ONE, '127.0.0.1', 'http://internal'],
  ['for=203.0.113.7, for="_gazonk"', TWO, '203.0.113.7', 'http://internal'],
  ['for=203.0.113.7, for="_gazonk"', SUBNETS, '127.0.0.1', 'http://internal'],
  ['for=_hidden, for=192.0.2.1', SUBNETS, '192.0.2.1', 'http://internal'],
  ['proto=https', ONE, '127.0.0.1', 'https://internal'],
  // Malformed parts are ignored.
  ['', ONE, '127.0.0.1', 'http://internal'],
  [';;,', ONE, '127.0.0.1', 'http://internal'],
  ['for=2001:db8::1', ONE, '127.0.0.1', 'http://internal'],
  ['for=192.0.2.1;proto=ftp;host="a/b"', ONE, '192.0.2.1', 'http://internal'],
  ['for="', ONE, '127.0.0.1', 'http://internal'],
  ['for=", for=192.0.2.1', ONE, '192.0.2.1', 'http://internal'],
  ['for="\\", for=192.0.2.1;by="a,b"', ONE, '192.0.2.1', 'http://internal'],
  ['for=203.0.113.7, , for=192.0.2.1,', ONE, '192.0.2.1', 'http://internal'],
  // Without a trusted proxy, the header is ignored.
  ['for=192.0.2.1;proto=https;host=evil.example', [], '127.0.0.1', 'http://internal'],
  ['for=192.0.2.1;proto=https;host=evil.example', ['10.0.0.0/8'], '127.0.0.1', 'http://internal'],
])('Forwarded: %j with TRUST_PROXY %j is the client %s at %s', async (forwarded, trustProxy, address, origin) => {
  expect(await receive({ Forwarded: forwarded }, trustProxy)).toEqual({ address, origin });
});

test.each<[string, string, string, readonly string[], string, string]>([
  // The values before the value of the outermost trusted proxy come from the client.
  [
    '203.0.113.7, 192.0.2.1',
    'https, http',
    'evil.example, api.example.com',
    ONE,
    '192.0.2.1',
    'http://api.example.com',
  ],
  ['203.0.113.7, 192.0.2.1', 'https, http', 'evil.example, inner', TWO, '203.0.113.7', 'https://evil.example'],
  ['203.0.113.7, 192.0.2.1', 'https,http', 'api.example.com', SUBNETS, '203.0.113.7', 'https://api.example.com'],
  ['203.0.113.7, 192.0.2.1', 'https, http', 'a.example, b.example', ['loopback'], '192.0.2.1', 'http://b.example'],
  ['10.0.0.1, 203.0.113.7, 192.0.2.1', 'ftp, https, http', 'c, a, b', SUBNETS, '203.0.113.7', 'https://a'],
  ['', 'https, http', 'a.example, b.example', ONE, '127.0.0.1', 'http://b.example'],
  ['', 'https, http', 'a.example, b.example', TWO, '127.0.0.1', 'https://a.example'],
  ['', 'https, http', 'a.example, b.example', SUBNETS, '127.0.0.1', 'http://b.example'],
  ['unknown', 'https', '', SUBNETS, '127.0.0.1', 'https://internal'],
  ['203.0.113.7', 'https', 'a.example', [], '127.0.0.1', 'http://internal'],
])(
  'X-Forwarded-For, -Proto, -Host: %j, %j, %j with TRUST_PROXY %j is the client %s at %s',
  async (addresses, proto, host, trustProxy, address, origin) => {
    const headers = { 'X-Forwarded-For': addresses, 'X-Forwarded-Proto': proto, 'X-Forwarded-Host': host };
    expect(await receive(headers, trustProxy)).toEqual({ address, origin });
  },
);

test.each([
  [{ 'X-Forwarded-For': '192.0.2.1' }, '192.0.2.1', 'http://internal'],
  [{ 'X-Forwarded-Proto': 'https' }, '127.0.0.1', 'https://internal'],
  [{ 'X-Forwarded-Host': 'api.example.com' }, '127.0.0.1', 'http://api.example.com'],
])('with %j, a Forwarded of the client is ignored', async (headers, address, origin) => {
  const sent = { Forwarded: 'for=203.0.113.7;proto=https;host=evil.example', ...headers };
  expect(await receive(sent, ONE)).toEqual({ address, origin });
});

test.each(['Forwarded', 'X-Forwarded-For'])(
  '%s with 300,000 commas before an unpaired quotation mark',
  async (name) => {
    const commas = `${'a,'.repeat(300_000)}"`; // Quadratic work would exceed the time limit of the test.
    expect(await receive({ [name]: commas }, ONE)).toEqual({ address: '127.0.0.1', origin: 'http://internal' });
  },
);
