import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startCollector, type ExportedSpan } from './support/collector.ts';
import { INSTALL_OPTIONS } from '@contract-first/testing/packed.ts';
import { APPLICATIONS, runProcess, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { describeStores } from '@contract-first/testing/stores.ts';
import { until } from '@contract-first/testing/until.ts';

// The environment with which a service finds the SDK.
let sdk: Readonly<Record<'NODE_OPTIONS' | 'LOG_ON_STOP', string>>;
beforeAll(async () => {
  const folder = temporaryFolder();
  cpSync(join(import.meta.dirname, 'telemetry-sdk'), folder, { recursive: true });
  expect(await runProcess('npm', ['ci', ...INSTALL_OPTIONS], {}, folder)).toMatchObject({ code: 0 });
  sdk = { NODE_OPTIONS: `--import=${join(folder, 'resolve-sdk.js')}`, LOG_ON_STOP: join(folder, 'log-on-stop.js') };
});

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';
const [SERVER, CLIENT] = [2, 3]; // SpanKind of OTLP
const ERROR = 2; // StatusCode of OTLP

async function send({ url, token }: ServiceProcess, method: string, path: string, body?: string): Promise<Response> {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'User-Agent': 'test',
    traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`,
  };
  return fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
}

const serverSpanOf = (spans: readonly ExportedSpan[], name: string) =>
  spans.find((span) => span.kind === SERVER && span.name === name);

describeStores((createDatabase) => {
  test("a request has a span, whose parent is the client's span, and its commit has a child span", async () => {
    const { env, spans } = await startCollector();
    const url = await createDatabase();
    const service = await startServiceProcess({ ...env, ...sdk, DATABASE_URL: url });
    expect((await send(service, 'POST', '/guests', '{"id":1,"name":"Anna"}')).status).toBe(200);
    await until(() => spans.length, 2);
    const server = serverSpanOf(spans, 'POST /guests');
    const { hostname, port } = new URL(service.url);
    expect(server).toMatchObject({
      traceId: TRACE_ID,
      parentSpanId: PARENT_ID,
      resource: { 'service.name': 'Guest book', 'service.version': '1.0.0', 'telemetry.sdk.language': 'nodejs' },
    });
    expect(server?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/guests',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'url.path': '/guests',
      'server.address': hostname,
      'server.port': Number(port),
      'client.address': '127.0.0.1',
      'network.protocol.version': '1.1',
      'user_agent.original': 'test',
    });
    const commit = spans.find(({ kind }) => kind === CLIENT);
    expect(commit).toMatchObject({ name: 'INSERT guests', traceId: TRACE_ID, parentSpanId: server?.spanId });
    expect(commit?.attributes).toEqual({
      'db.system.name': url.startsWith('sqlite:') ? 'sqlite' : 'postgresql',
      'db.operation.name': 'INSERT',
      'db.collection.name': 'guests',
    });
    await service.waitForOutput('"status":200');
    const line = service
      .output()
      .split('\n')
      .find((text) => text.includes('"status":200'));
    expect(JSON.parse(line ?? '')).toMatchObject({ traceId: TRACE_ID, parentId: PARENT_ID, spanId: server?.spanId });
  });
});

test('reads and writes have spans with their statements, but without values', async () => {
  const folder = join(APPLICATIONS, 'books');
  const { env, spans } = await startCollector();
  const service = await startServiceProcess({ ...env, ...sdk }, ['node', 'src/main.ts'], folder);
  await send(service, 'POST', '/v1/books', '{"kind":"ebook","title":"T","bytes":9007199254740993}');
  expect((await send(service, 'GET', '/v1/books/9007199254740993')).status).toBe(200);
  await until(() => spans.length, 4);
  const names = spans.filter(({ kind }) => kind === CLIENT).map(({ name }) => name);
  expect(names).toEqual(['INSERT', 'SELECT']);
  const select = spans.find(({ name }) => name === 'SELECT');
  expect(select?.parentSpanId).toBe(serverSpanOf(spans, 'GET /v1/books/{bookId}')?.spanId);
  expect(select?.attributes).toMatchObject({ 'db.query.text': expect.stringMatching(/^SELECT .* FROM books .*\?/s) });
  expect(JSON.stringify(spans.filter(({ kind }) => kind === CLIENT))).not.toContain('9007199254740993');
});

test('a 503 has a span with an error, and so does the failed write', async () => {
  const { env, spans } = await startCollector();
  const path = join(temporaryFolder(), 'guests.db');
  const service = await startServiceProcess({ ...env, ...sdk, DATABASE_URL: `sqlite:${path}` });
  renameSync(path, `${path}.away`);
  expect((await send(service, 'POST', '/guests', '{"id":1,"name":"Anna"}')).status).toBe(503);
  await until(() => spans.length, 2);
  const errors = spans.map(({ kind, status, attributes }) => [kind, status.code, attributes['error.type']]);
  expect(errors.sort()).toEqual([
    [SERVER, ERROR, '503'],
    [CLIENT, ERROR, 'DatabaseUnavailable'],
  ]);
});

test('a 4xx has a span without an error, and no span has the query', async () => {
  const { env, spans } = await startCollector();
  const service = await startServiceProcess({ ...env, ...sdk });
  await send(service, 'GET', '/nothing?secret=1');
  await send(service, 'PUT', '/guests');
  await until(() => spans.length, 2);
  expect(spans.map(({ name }) => name)).toEqual(['GET', 'PUT']);
  expect(spans.map(({ status }) => status.code ?? 0)).toEqual([0, 0]);
  expect(spans[0]?.attributes).toMatchObject({ 'http.response.status_code': 404, 'url.path': '/nothing' });
  expect(JSON.stringify(spans)).not.toMatch(/secret|http\.route|error\.type/);
});

test('the last spans, metrics and log records are exported before the service exits', async () => {
  const { env, spans, received } = await startCollector();
  const exporters = { OTEL_METRICS_EXPORTER: 'otlp', OTEL_LOGS_EXPORTER: 'otlp' };
  const imports = { NODE_OPTIONS: `${sdk.NODE_OPTIONS} --import=${sdk.LOG_ON_STOP}` };
  const service = await startServiceProcess({ ...env, ...exporters, ...imports, OTEL_BSP_SCHEDULE_DELAY: '60000' });
  await send(service, 'POST', '/guests', '{"id":1,"name":"Anna"}');
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(0);
  expect(spans).toHaveLength(2);
  const metrics = received.metrics.join();
  expect(metrics).toContain('"name":"http.server.request.duration"');
  expect(metrics).toContain('{"key":"http.route","value":{"stringValue":"/guests"}}');
  expect(received.logs.join()).toContain('the application stops');
});

test('a collector that is down blocks neither requests nor the exit', async () => {
  const service = await startServiceProcess({ ...sdk, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  expect((await send(service, 'POST', '/guests', '{"id":1,"name":"Anna"}')).status).toBe(200);
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(0);
});

test('without the SDK, the start is refused with one line that names the packages to install', async () => {
  const env = { API_TOKENS: 'test-token', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  const { code, stdout, stderr } = await runProcess('node', ['src/main.ts'], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^OTEL_EXPORTER_OTLP_ENDPOINT is set, but .*: run npm install .*@opentelemetry\/sdk-node.*\n$/,
  );
});
