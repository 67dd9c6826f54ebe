import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type RequestListener } from 'node:http';
import { createServer as createHttp2, createSecureServer } from 'node:http2';
import { createServer as createSecure } from 'node:https';
import { createServer as createTcp, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import type { ServerOptions } from 'node:https';
import { makeCertificates } from '@contract-first/testing/certificates.ts';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { checkCommand } from '../src/command.ts';

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Times', version: '1.0.0' },
  security: [],
  paths: { '/time': { get: { operationId: 'getTime', responses: { '204': { description: 'Now' } } } } },
};

/** Listens on a free port of this machine. Returns the port. */
async function listen(server: Server): Promise<string> {
  const sockets = new Set<{ destroy: () => void }>();
  server.on('connection', (socket) => sockets.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return String((server.address() as AddressInfo).port); // A TCP address, not a pipe.
}

const answerAll: RequestListener = ({ url = '' }, response) => {
  response.writeHead(new URL(url, 'http://server').pathname === '/time' ? 204 : 404).end();
};

/** Starts an https service with a certificate for `localhost`. Returns its URL and the files. */
async function startSecure(answer = answerAll, options: ServerOptions = {}) {
  const files = makeCertificates();
  const { root, certificate, key } = files;
  const pem = { cert: readFileSync(certificate), key: readFileSync(key), ca: readFileSync(root) };
  return { ...files, url: `https://localhost:${await listen(createSecure({ ...pem, ...options }, answer))}` };
}

/** Checks a service with the default options and few requests. */
function check(url: string, ...args: readonly string[]) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(DOCUMENT));
  const [document = 'openapi.json', ...others] = args[0]?.startsWith('--') === false ? args : ['openapi.json', ...args];
  const checks = ['--checks', 'positive_data_acceptance', '--runs', '1', '--seed', '1', '--quiet'];
  return runHere(checkCommand, [document, '--url', url, ...checks, ...others], folder);
}

test('an untrusted certificate is one line, unless --ca or --insecure is given', async () => {
  const { url, root } = await startSecure();
  expect(await check(url)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^https:\S+: its certificate is not trusted \(.*\): --ca FILE names .*\n$/),
  });
  for (const args of [['--ca', root], ['--insecure']]) expect(await check(url, ...args)).toMatchObject({ code: 0 });
});

test('a document is fetched with these options, and curl lines have them', async () => {
  const { url, root } = await startSecure(({ url: target }, response) => {
    response.writeHead(target === '/openapi.json' ? 200 : 400).end(JSON.stringify(DOCUMENT));
  });
  const { code, stdout } = await check(url, `${url}/openapi.json`, '--ca', root, '--insecure');
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining(`curl -sSi --path-as-is -g --cacert '${root}' --insecure -X GET '${url}/time'`),
  ]);
});

test('a service that asks for a certificate gets the certificate of --cert', async () => {
  const { url, root, certificate, key } = await startSecure(answerAll, { requestCert: true, rejectUnauthorized: true });
  expect(await check(url, '--ca', root, '--cert', certificate, '--key', key)).toMatchObject({ code: 0 });
  expect(await check(url, '--ca', root, '--cert', certificate, '--key', 'none.pem')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^--key: ENOENT: .*\n$/),
  });
});

test('referenced files and the token of --client are fetched with these options', async () => {
  const { paths } = DOCUMENT;
  const { url, root } = await startSecure((incoming, response) => {
    if (incoming.url === '/paths.json') response.end(JSON.stringify(paths));
    else if (incoming.url === '/token') response.end('{"access_token":"abc","token_type":"bearer"}');
    else if (/^bearer abc$/i.test(incoming.headers.authorization ?? '')) answerAll(incoming, response);
    else response.writeHead(401).end();
  });
  const folder = temporaryFolder();
  const flows = { clientCredentials: { tokenUrl: `${url}/token`, scopes: {} } };
  const document = {
    ...DOCUMENT,
    security: [{ oauth: [] }],
    paths: { '/time': { $ref: `${url}/paths.json#/~1time` } },
    components: { securitySchemes: { oauth: { type: 'oauth2', flows } } },
  };
  writeFileSync(join(folder, 'secure.json'), JSON.stringify(document));
  const args = [join(folder, 'secure.json'), '--allow-refs', 'http', '--client', 'a:b'];
  expect(await check(url, ...args, '--ca', root)).toMatchObject({ code: 0 });
  expect(await check(url, ...args)).toMatchObject({ code: 2 });
});

test('a service that does not answer the first request is named before the request times out', async () => {
  const server = createServer((incoming, response) => {
    if (incoming.url !== '/') answerAll(incoming, response);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  expect(await check(url)).toMatchObject({
    code: 0,
    stderr: `${url}: no response to the first request within 1000 ms; the run goes on\n`,
  });
});

test.each<[string, () => Promise<string>, string]>([
  [
    'speaks only HTTP/2',
    async () => `http://127.0.0.1:${await listen(createHttp2())}`,
    'it speaks only HTTP/2, and checks use HTTP/1.1',
  ],
  [
    'speaks only HTTP/2 over TLS',
    async () => {
      const { certificate, key } = makeCertificates();
      const pem = { cert: readFileSync(certificate), key: readFileSync(key) };
      return `https://localhost:${await listen(createSecureServer(pem))}`;
    },
    'it speaks only HTTP/2, and checks use HTTP/1.1',
  ],
  [
    'does not speak HTTP',
    async () => `http://127.0.0.1:${await listen(createTcp((socket) => socket.end('220 mail.example ready\r\n')))}`,
    'it does not speak HTTP',
  ],
  [
    'does not speak TLS',
    async () => `https://localhost:${await listen(createServer(answerAll))}`,
    'it does not speak TLS: use an http URL',
  ],
])('a service that %s is one line', async (_name, start, line) => {
  const url = await start();
  expect(await check(url, '--insecure')).toMatchObject({ code: 2, stdout: '', stderr: `${url}: ${line}\n` });
});

test('the proxy in HTTP_PROXY is used, except for this machine', async () => {
  const service = await listen(createServer(answerAll));
  const targets: string[] = [];
  const proxy = createServer(({ url = '', method, headers }, response) => {
    const { host, pathname } = new URL(url);
    targets.push(host);
    const sent = request({ host: '127.0.0.1', port: service, path: pathname, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
      answer.pipe(response);
    });
    sent.end();
  });
  const { HTTP_PROXY } = process.env;
  cleanUp(() => {
    if (HTTP_PROXY === undefined) delete process.env['HTTP_PROXY'];
    else process.env['HTTP_PROXY'] = HTTP_PROXY;
  });
  process.env['HTTP_PROXY'] = `http://127.0.0.1:${await listen(proxy)}`;
  expect(await check('http://service.invalid')).toMatchObject({ code: 0 });
  expect(new Set(targets)).toEqual(new Set(['service.invalid']));
  expect(await check(`http://127.0.0.1:${service}`)).toMatchObject({ code: 0 });
  expect(new Set(targets).size).toBe(1);
});
