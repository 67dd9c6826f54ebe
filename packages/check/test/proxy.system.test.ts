import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { ROOT, runProcess, start } from '@contract-first/testing/service.ts';
import { petsDocument } from './support/pets-document.ts';

const BIN = join(ROOT, 'packages/cli/bin.js');
const JSON_TYPE = { 'Content-Type': 'application/json' };
const LIST = { ...JSON_TYPE, 'X-Total': '1' };
const HEADERS = "{ headers: { authorization: 'Bearer token-0123456789' } }";

/** Starts a service that answers the raw bytes of each connection. Returns its URL. */
async function listenRaw(onBytes: (bytes: string, socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    let bytes = '';
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        bytes += chunk.toString('latin1');
        onBytes(bytes, socket);
      });
    cleanUp(() => void socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp(() => void server.close());
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // A TCP address, not a pipe.
}

/** Sends bytes on a new connection. Returns the received bytes when the connection is closed. */
async function sendRaw(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(text, 'latin1');
  return Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
}

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // A TCP address, not a pipe.
}

/** Creates a temporary folder that contains the document. */
function folderOf(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'pets.json'), JSON.stringify(petsDocument));
  return folder;
}

/** Runs the proxy with a client script. The script gets the proxy's URL as `url`. */
async function runProxy(service: string, script: string, args: readonly string[] = []) {
  const folder = folderOf();
  const client = `const url = process.env.CONTRACT_PROXY_URL; ${script}`;
  const command = [
    BIN,
    'proxy',
    'pets.json',
    '--url',
    service,
    ...args,
    '--',
    'node',
    '--input-type=module',
    '-e',
    client,
  ];
  const outcome = await runProcess('node', command, {}, folder);
  return { ...outcome, read: (name: string) => readFileSync(join(folder, name), 'utf8') };
}

/** Starts the proxy without a client. Returns when the proxy listens. */
async function startProxy(service: string, args: readonly string[] = []) {
  const child = start('node', [BIN, 'proxy', 'pets.json', '--url', service, ...args], {}, folderOf());
  let printed = '';
  child.process.stderr.on('data', (text: string) => (printed += text));
  while (!printed.includes(' forwards to ')) await once(child.process.stderr, 'data');
  const [url = ''] = /http:\S+/.exec(printed) ?? [];
  return {
    child,
    url,
    waitFor: async (text: string) => {
      while (!printed.includes(text)) await once(child.process.stderr, 'data');
    },
  };
}

const right: RequestListener = (_request, response) => {
  response.writeHead(200, LIST).end('[{"name":"Rex"}]');
};

test('proxy forwards requests and responses unchanged, except for hop-by-hop headers', async () => {
  const seen: unknown[] = [];
  const service = await listen(
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { host, connection, te, 'x-hop': hop, 'x-end': end } = request.headers;
        seen.push({
          line: `${String(request.method)} ${String(request.url)}`,
          connection,
          te,
          hop,
          end,
          host,
          body: Buffer.concat(chunks).toString(),
        });
        const headers = [
          ...Object.entries(LIST).flat(),
          'Set-Cookie',
          'a=1',
          'Set-Cookie',
          'b=2',
          'Keep-Alive',
          'timeout=1',
          'Content-Encoding',
          'gzip',
        ];
        response.writeHead(200, 'Fine', headers).end(gzipSync('[{"name":"Rex"}]'));
      });
    }),
  );
  const { child, url } = await startProxy(service);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const head = [
    'Host: other.example',
    'Connection: close, X-Hop',
    'X-Hop: 1',
    'X-End: 1',
    'TE: trailers',
    'Content-Length: 2',
  ];
  socket.write(['PUT /v1/pets/%2e/a%2Fb?q=%20+ HTTP/1.1', ...head, '', '{}'].join('\r\n'));
  const received = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
  expect(received).toMatch(/^HTTP\/1\.1 200 Fine\r\n/);
  expect(received.match(/^(?:set-cookie|content-encoding|keep-alive): .*$/gim)).toEqual([
    'Set-Cookie: a=1',
    'Set-Cookie: b=2',
    'Content-Encoding: gzip',
  ]);
  const own = { connection: 'close', te: undefined, hop: undefined, end: '1', host: new URL(service).host };
  expect(seen).toEqual([{ line: 'PUT /v1/pets/%2e/a%2Fb?q=%20+', ...own, body: '{}' }]);
  child.process.kill('SIGTERM');
  await child.outcome;
});

test('proxy prints each new failure at once, and after a signal prints a summary and exits with 1', async () => {
  const service = await listen(
    createServer((request, response) => {
      if (request.url === '/v1/pets') right(request, response);
      else response.writeHead(500, JSON_TYPE).end('{}');
    }),
  );
  const { child, url, waitFor } = await startProxy(service, ['--har', 'a.har']);
  const options = { headers: { Authorization: 'Bearer token-0123456789' } };
  expect(await (await fetch(`${url}/v1/pets`, options)).json()).toEqual([{ name: 'Rex' }]);
  // The archive has no undocumented requests.
  expect((await fetch(`${url}/v1/none`, options)).status).toBe(500);
  expect((await fetch(`${url}/v1/pets/1`, options)).status).toBe(500);
  await waitFor('FAILED not_a_server_error  readPet: the status is 500 for valid data (entry 1, ');
  child.process.kill('SIGINT');
  const { code, stdout } = await child.outcome;
  expect([code, stdout]).toEqual([1, expect.stringContaining('2 operations, 2 requests, 1 failure')]);
});

test('proxy runs a command, and exits with its code if it failed, with 1 for failures, otherwise with 0', async () => {
  const service = await listen(createServer(right));
  const good = await runProxy(`${service}/v1`, `await fetch(url + '/pets', ${HEADERS});`);
  expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('1 request, 0 failures')]);
  const failing = await runProxy(service, `await fetch(url + '/v1/pets', ${HEADERS}); process.exit(7);`);
  expect([failing.code, failing.stdout]).toEqual([7, expect.stringContaining('1 request, 0 failures')]);
  const flawed = await runProxy(service, `await fetch(url + '/v1/pets?limit=11', ${HEADERS});`);
  expect([flawed.code, flawed.stdout]).toEqual([
    1,
    expect.stringContaining('FAILED negative_data_rejection  listPets'),
  ]);
  const idle = await runProxy(service, '');
  expect([idle.code, idle.stdout]).toEqual([2, expect.stringContaining('no request was judged')]);
});

test('proxy writes an archive without credentials, which check --har can read', async () => {
  const service = await listen(
    createServer((request, response) => {
      if (request.url?.startsWith('/v1/pets?') === true) right(request, response);
      else if (request.method === 'POST') {
        const headers = { ...JSON_TYPE, 'Set-Cookie': 'session=0123456789; Path=/' };
        response.writeHead(200, headers).end('{"access_token":"issued-0123456789"}');
      } else response.writeHead(200, JSON_TYPE).end('{"name":"Rex"}');
    }),
  );
  // The value 98765432 is both an API key and an id.
  // Secrets in compressed bodies are redacted, and bodies that cannot be decoded are omitted.
  const script = `const { gzipSync } = await import('node:zlib');
    await fetch(url + '/v1/pets?limit=1', ${HEADERS}); await fetch(url + '/v1/pets/98765432?key=98765432');
    for (const body of [gzipSync('user=a&pin=4821'), gzipSync('user=a&pin=4821').subarray(0, 20)])
      await fetch(url + '/v1/login', { method: 'POST', headers: {
        'Content-Type': 'application/x-www-form-urlencoded', 'Content-Encoding': 'gzip' }, body });`;
  const { code, read } = await runProxy(service, script, ['--har', 'a.har']);
  expect(code).toBe(0);
  const archive = read('a.har');
  expect(archive).toContain('Bearer $TOKEN');
  expect(archive).toContain('/v1/pets/$KEY?key=$KEY');
  expect(archive).toContain('"text":"user=a&pin=$PIN"');
  expect(archive).not.toMatch(/0123456789|98765432|4821|H4sI/);
  const folder = folderOf();
  writeFileSync(join(folder, 'a.har'), archive);
  const checked = await runProcess('node', [BIN, 'check', 'pets.json', '--har', 'a.har'], {}, folder);
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('4 requests, 0 failures')]);
});

test('proxy answers 502 for responses that it cannot forward, forwards others, and keeps running', async () => {
  const answers: Readonly<Record<string, string>> = {
    reason: '200 O\x01K \xe9\r\nX-Text: \xe9\r\nContent-Length: 2\r\n\r\n[]',
    'control-character': '200 OK\r\nX-Text: a\x01b\r\nContent-Length: 2\r\n\r\n[]',
    switch: '101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\nhello',
    coding: '200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n',
    'no-content': '204 None\r\nContent-Length: 5\r\n\r\nHTTP/',
    status: '099 Low\r\nContent-Length: 2\r\n\r\n[]',
    length: '200 OK\r\nConnection: content-length\r\nContent-Length: 2\r\n\r\n[]',
  };
  const service = await listenRaw((bytes, socket) => {
    const [, name = ''] = /^GET \/v1\/pets\?(\S+)/.exec(bytes) ?? [];
    socket.write(`HTTP/1.1 ${answers[name] ?? ''}`, 'latin1');
  });
  const { child, url } = await startProxy(service, ['--har', 'a.har']);
  const outcomes: Record<string, string> = {};
  for (const name of Object.keys(answers)) {
    const received = await sendRaw(url, `GET /v1/pets?${name} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    const [, problem] = /^HTTP\/1\.1 502 [^]*no response of the service at \S+ (.*)/.exec(received) ?? [];
    outcomes[name] = problem ?? received;
  }
  child.process.kill('SIGTERM');
  const { code, stdout } = await child.outcome;
  expect(outcomes).toEqual({
    reason: 'HTTP/1.1 200 O K \xe9\r\nX-Text: \xe9\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]',
    'control-character': expect.stringContaining('Invalid header value char'),
    switch: 'it switches to another protocol, which the request did not ask for',
    coding: 'it has a transfer coding that the request did not ask for',
    'no-content': 'HTTP/1.1 204 None\r\nConnection: close\r\n\r\n',
    status: expect.stringContaining('Invalid status code: 99'),
    length: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]',
  });
  expect([code, stdout]).toEqual([1, expect.stringContaining('1 operation, 7 requests')]);
});

test('proxy frames bodies itself: Connection cannot remove Content-Length to smuggle a second request', async () => {
  const body = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
  const sized = `content-length\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  let last = '';
  const service = await listenRaw((bytes, socket) => {
    last = bytes;
    if (bytes.includes('smuggled')) socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  });
  const { child, url } = await startProxy(service);
  for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'POST']) {
    const head = `${method} /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close, `;
    await sendRaw(url, head + sized);
    expect(last).toMatch(
      new RegExp(`^${method} [^]*\r\nContent-Length: ${String(body.length)}\r\n[^]*\r\n\r\nGET /smug`),
    );
    await sendRaw(url, `${head}transfer-encoding\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`);
    expect(last).toMatch(
      new RegExp(`^${method} [^]*\r\nTransfer-Encoding: chunked\r\n[^]*\r\n\r\n[0-9a-f]+\r\nGET /smug`),
    );
  }
  last = '';
  const coded = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n${chunks}`;
  expect(await sendRaw(url, coded)).toMatch(/^HTTP\/1\.1 501 /);
  expect(last).toBe('');
  child.process.kill('SIGTERM');
  await child.outcome;
});

test('proxy reports an operation that succeeds without credentials', async () => {
  const service = await listen(createServer(right));
  const { code, stdout } = await runProxy(
    service,
    "await fetch(url + '/v1/pets'); await fetch(url + '/v1/pets?key=a');",
  );
  expect(code).toBe(1);
  expect(stdout).toContain('FAILED ignored_auth  listPets\n  with no credentials, the status is 200 instead of 401');
  expect(stdout).toContain('2 requests, 1 failure');
});

test('proxy reports a truncated response, and forwards the received part', async () => {
  const service = await listen(
    createServer((request, response) => {
      if (request.url === '/v1/pets/1') request.socket.destroy();
      else response.writeHead(200, { ...LIST, 'Content-Length': '100' }).write('[', () => request.socket.destroy());
    }),
  );
  const script = `const first = await fetch(url + '/v1/pets', ${HEADERS}); const second = await fetch(url + '/v1/pets/1', ${HEADERS});
    console.log(first.status, await first.text().catch(() => 'cut'), second.status, await second.text());`;
  const { code, stdout } = await runProxy(service, script);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^200 cut 502 contract-first proxy: no response of the service at \S+: the connection was closed$/m,
  );
  expect(stdout).toContain(
    'FAILED not_a_server_error  listPets\n  the response is incomplete: the connection was closed',
  );
  expect(stdout).toContain('FAILED not_a_server_error  readPet\n  no valid response: the connection was closed');
});

test('proxy answers 502 and reports no failure while the service is unreachable', async () => {
  const script = "const { status } = await fetch(url + '/v1/pets'); console.log(status);";
  const { code, stdout } = await runProxy('http://127.0.0.1:9', script);
  expect(code).toBe(2);
  expect(stdout).toMatch(/^502$/m);
  expect(stdout).toContain('not judged: requests while the service was not reachable (');
});

test('proxy streams long bodies without judging them', async () => {
  const chunk = Buffer.alloc(1_048_576, ' ');
  const service = await listen(
    createServer((request, response) => {
      let bytes = 0;
      request.on('data', (part: Buffer) => (bytes += part.length));
      request.on('end', () => {
        response.writeHead(200, { ...LIST, 'X-Bytes': String(bytes) });
        for (let count = 0; count < 20; count += 1) response.write(chunk);
        response.end('5');
      });
    }),
  );
  const script = `const body = Buffer.alloc(20_971_520); const options = { method: 'PUT', body };
    const response = await fetch(url + '/v1/pets', ${HEADERS}); const other = await fetch(url + '/files', options);
    console.log((await response.arrayBuffer()).byteLength, other.headers.get('x-bytes')); await other.arrayBuffer();`;
  const { code, stdout } = await runProxy(service, script);
  expect(stdout).toMatch(/^20971521 20971520$/m);
  expect(stdout).toContain('not judged: bodies of responses that the recording lacks, cuts or hides (1)');
  expect(code).toBe(0);
});

test.each([
  ['no service', ['pets.json'], /^name the service: --url /],
  [
    'an option of the check only',
    ['pets.json', '--url', 'http://127.0.0.1:9', '--runs', '1'],
    /^error: unknown option '--runs'/,
  ],
  [
    'a command that does not exist',
    ['pets.json', '--url', 'http://127.0.0.1:9', '--', './nothing'],
    /^\.\/nothing cannot be started: /m,
  ],
] as const)('proxy ends with 2 for %s', async (_name, args, message) => {
  const { code, stderr } = await runProcess('node', [BIN, 'proxy', ...args], {}, folderOf());
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});
