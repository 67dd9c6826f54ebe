import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCommand } from '../src/command.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { replaceClock } from './support/clock.ts';
import { shallowDocument } from './support/reference-document.ts';
import { startReferenceServer, TOKEN, type Defect } from './support/reference-server.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { FIXTURE, ROOT, start } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';
import { parseXml } from './support/xml.ts';

const SCRIPT = join(ROOT, 'packages/cli/bin.js');

type Har = { readonly log: { readonly version: string; readonly entries: readonly HarEntry[] } };
type HarEntry = {
  readonly startedDateTime: string;
  readonly time: number;
  readonly request: HarMessage & {
    readonly url: string;
    readonly postData?: HarBody & { readonly _encoding?: string };
  };
  readonly response: HarMessage & {
    readonly status: number;
    readonly content: HarBody & { readonly encoding?: string };
  };
  readonly timings: Readonly<Record<string, number>>;
};
type HarMessage = { readonly headers: readonly { readonly name: string; readonly value: string }[] };
type HarBody = { readonly mimeType: string; readonly text: string };
type Line = Readonly<Record<string, unknown>> & {
  readonly operation: string;
  readonly failedChecks: readonly string[];
};

/** Runs the command with few requests in a temporary folder. */
async function check(options: {
  readonly defect?: Defect;
  readonly args?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}) {
  const { defect, args = [], files = {}, env = { CONTRACT_TOKEN: TOKEN } } = options;
  const url = await startReferenceServer(defect);
  const folder = temporaryFolder();
  const all = { 'openapi.json': JSON.stringify(shallowDocument), ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, 'reports'));
  const required = ['openapi.json', '--url', url, '--seed', '1'];
  const limits = [
    ['--runs', '2'],
    ['--budget', '300'],
  ].flatMap(([name = '', value = '']) => (args.includes(name) ? [] : [name, value]));
  const outcome = await runHere(checkCommand, [...required, ...limits, ...args], folder, env);
  return { ...outcome, url, read: (name: string) => readFileSync(join(folder, name), 'utf8') };
}

function linesOf(text: string): readonly Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Answers notes with an error that contains the token and characters that XML does not allow. */
const leaking: Defect = (request, respond) =>
  request.url === '/v1/notes' && request.method === 'POST' && request.headers['content-type'] === 'text/plain'
    ? { status: 500, headers: {}, body: `<oops> & \u0000\u001b ${TOKEN} ]]>` }
    : respond(request);

test('--report junit has a test case for each operation and check, with the evidence of failures', async () => {
  const args = ['--report', 'junit:reports/junit.xml', '--operation', 'writeNote', '--operation', 'deleteItem'];
  const { code, stdout, read } = await check({ defect: leaking, args });
  expect(code).toBe(1);
  const { name, attributes, children } = parseXml(read('reports/junit.xml'));
  expect([name, attributes['name']]).toEqual(['testsuites', 'contract']);
  expect(children.map((suite) => suite.attributes['name'])).toEqual(['deleteItem', 'writeNote']);
  for (const suite of [...children]) {
    const failed = suite.children.filter((one) => one.children.length > 0);
    expect(suite.attributes['tests']).toBe(String(suite.children.length));
    expect(suite.attributes['failures']).toBe(String(failed.length));
    expect(Number(suite.attributes['time'])).toBeGreaterThan(0);
    expect(suite.children.every((one) => one.attributes['classname'] === suite.attributes['name'])).toBe(true);
  }
  const cases = children.flatMap((suite) => suite.children);
  expect(cases.map((one) => one.attributes)).toContainEqual({ classname: 'deleteItem', name: 'ignored_auth' });
  const [failure] =
    cases.find((one) => one.attributes['classname'] === 'writeNote' && one.attributes['name'] === 'not_a_server_error')
      ?.children ?? [];
  expect(failure).toMatchObject({
    attributes: { type: 'not_a_server_error', message: 'the status is 500 for valid data' },
  });
  expect(failure?.text).toContain('  curl -sSi');
  expect(failure?.text).toContain('  < <oops> & \\u0000\\u001b $CONTRACT_TOKEN ]]>');
  expect(stdout).toContain(failure?.text);
});

test('--report junit has a failure for an operation that is not implemented or below the minimum', async () => {
  const advance = replaceClock();
  const defect: Defect = (request, respond) => {
    if (request.url === '/v1/notes') return { status: 501, headers: {}, body: '' };
    if (request.url !== '/') advance(10_000);
    return respond(request);
  };
  const names = ['--operation', 'writeNote', '--operation', 'findItems'];
  const { read } = await check({ defect, args: ['--report', 'junit:a.xml', '--budget', '200', ...names] });
  const failures = parseXml(read('a.xml')).children.flatMap((suite) =>
    suite.children.flatMap((one) =>
      one.children.map((failure) => [suite, one, failure].map((node) => node.attributes)),
    ),
  );
  const listed = failures.map(([suite, one, failure]) => [suite?.['name'], one?.['name'], failure?.['message']]);
  expect(listed).toContainEqual(['writeNote', 'implemented', 'not implemented (501)']);
  expect(listed).toContainEqual(['findItems', 'complete', 'incomplete, with less than the minimum of requests']);
});

test('--report junit has a failure when the server is unreachable', async () => {
  const folder = temporaryFolder();
  const args = [
    join(FIXTURE, 'openapi.yaml'),
    '--url',
    'http://127.0.0.1:9',
    '--token',
    TOKEN,
    '--report',
    'junit:a.xml',
  ];
  const { code, stderr } = await runHere(checkCommand, args, folder);
  const { attributes, children } = parseXml(readFileSync(join(folder, 'a.xml'), 'utf8'));
  expect([code, attributes]).toEqual([2, { name: 'contract', tests: '1', failures: '1' }]);
  const [one] = children.flatMap((suite) => suite.children);
  expect(one?.attributes).toEqual({ classname: 'contract', name: 'run' });
  expect(stderr).toContain('http://127.0.0.1:9: ');
  expect(one?.children.map((failure) => failure.text)).toEqual([stderr.trimEnd()]);
});

test('--report har has every request and response, with base64 for binary bodies and redacted secrets', async () => {
  const args = ['--report', 'har:a.har', '--report', 'ndjson:a.ndjson'];
  const { code, stdout, url, read } = await check({ defect: leaking, args });
  expect(code).toBe(1);
  expect(read('a.har') + stdout).not.toContain(TOKEN);
  const { log } = JSON.parse(read('a.har')) as Har;
  expect(log).toMatchObject({ version: '1.2', creator: { name: expect.any(String), version: expect.any(String) } });
  expect(log.entries).toHaveLength(linesOf(read('a.ndjson')).length);
  expect(stdout).toContain(` ${String(log.entries.length)} requests`);
  const pair = { name: expect.any(String), value: expect.any(String) };
  for (const { startedDateTime, time, request, response, timings } of log.entries) {
    expect(new Date(startedDateTime).toISOString()).toBe(startedDateTime);
    expect(time).toBe((timings['send'] ?? NaN) + (timings['wait'] ?? NaN) + (timings['receive'] ?? NaN));
    const message = { httpVersion: 'HTTP/1.1', headersSize: -1, bodySize: expect.any(Number) };
    expect(request).toMatchObject({ ...message, method: expect.any(String), url: expect.any(String) });
    expect(request.url.startsWith(`${url}/`)).toBe(true);
    expect(request).toMatchObject({ cookies: expect.any(Array), queryString: expect.any(Array) });
    expect(response).toMatchObject({ ...message, cookies: [], statusText: expect.any(String), redirectURL: '' });
    expect(response.content).toMatchObject({ size: expect.any(Number), mimeType: expect.any(String) });
    for (const header of [...request.headers, ...response.headers]) expect(header).toEqual(pair);
  }
  expect(read('a.har')).toContain('Bearer $CONTRACT_TOKEN');
  const binary = log.entries.find(({ request }) => request.postData?._encoding === 'base64');
  expect(binary?.request).toMatchObject({
    bodySize: Buffer.from(binary?.request.postData?.text ?? '', 'base64').length,
  });
});

test('--report har redacts a Basic password and an API key in the query', async () => {
  const { paths } = shallowDocument as unknown as { readonly paths: Record<string, Record<string, object>> };
  const document = {
    ...shallowDocument,
    security: [{ basic: [], query: [] }],
    components: {
      ...(shallowDocument['components'] as object),
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        query: { type: 'apiKey', in: 'query', name: 'key' },
      },
    },
    paths: { '/items/{itemId}': paths['/items/{itemId}'] },
  };
  const files = { 'basic.json': JSON.stringify(document) };
  const url = await startReferenceServer();
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'basic.json'), files['basic.json']);
  const args = ['basic.json', '--url', url, '--runs', '0', '--report', 'har:a.har', '--report', 'ndjson:b'];
  const { stdout } = await runHere(checkCommand, args, folder, { CONTRACT_TOKEN: 'pass word+1' });
  const all = stdout + readFileSync(join(folder, 'a.har'), 'utf8') + readFileSync(join(folder, 'b'), 'utf8');
  const encoded = Buffer.from('user:pass word+1').toString('base64');
  for (const spelling of ['pass word+1', 'pass%20word%2B1', encoded]) expect(all).not.toContain(spelling);
  expect(all).toContain('"Basic $CONTRACT_TOKEN"');
  expect(all).toContain('key=$CONTRACT_TOKEN');
});

test('reports have the line of the operation, and the page of the check', async () => {
  const kinds = ['json', 'github', 'sarif', 'junit'];
  const args = ['--operation', 'writeNote', ...kinds.flatMap((kind) => ['--report', `${kind}:${kind}`])];
  const document = JSON.stringify(shallowDocument, null, 2);
  const { stdout, read } = await check({ defect: leaking, args, files: { 'openapi.json': document } });
  const line = document.split('\n').findIndex((text) => text.includes('"operationId": "writeNote"')) + 1;
  const page = 'docs/checks/not_a_server_error.md';
  expect(stdout).toContain(`  about the check: ${page}\n`);
  const [finding] = (JSON.parse(read('json')) as { readonly findings: readonly { readonly line: number }[] }).findings;
  expect(finding).toMatchObject({ check: 'not_a_server_error', page, file: 'openapi.json' });
  const start = finding?.line ?? NaN;
  expect(start).toBeLessThan(line);
  expect(line - start).toBeLessThan(5);
  const place = `file=openapi.json,line=${String(start)}`;
  expect(read('github')).toMatch(
    new RegExp(`^::error ${place},title=not_a_server_error::writeNote: .*%0A${page}$`, 'm'),
  );
  expect(read('junit')).toContain(`about the check: ${page}`);
  const region = { physicalLocation: { artifactLocation: { uri: 'openapi.json' }, region: { startLine: start } } };
  expect(JSON.parse(read('sarif'))).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'contract-first check', rules: [{ id: 'not_a_server_error' }] } },
        results: [{ ruleId: 'not_a_server_error', level: 'error', locations: [region] }],
      },
    ],
  });
});

test('--report ndjson has a line for each request', async () => {
  const { stdout, read } = await check({ defect: leaking, args: ['--report', 'ndjson:a.ndjson'] });
  const lines = linesOf(read('a.ndjson'));
  expect(stdout).toContain(`, ${String(lines.length)} requests, `);
  expect(new Set(lines.map(({ operation }) => operation)).size).toBe(6);
  expect(lines).toContainEqual({
    operation: 'writeNote',
    kind: 'positive',
    description: 'positive',
    method: 'POST',
    target: '/v1/notes',
    status: 500,
    startedAt: expect.any(String),
    durationMs: expect.any(Number),
    failedChecks: expect.arrayContaining(['not_a_server_error']),
  });
  expect(lines.filter(({ operation }) => operation === 'putItem').flatMap((line) => line.failedChecks)).toEqual([]);
});

test('--report ndjson includes requests without a response', async () => {
  const args = ['--operation', 'writeNote', '--report', 'ndjson:a.ndjson', '--report', 'har:a.har'];
  const defect: Defect = (request, respond) => {
    if (request.body.length > 0) throw new Error('closes the connection');
    return respond(request);
  };
  const { read } = await check({ defect, args });
  const unanswered = linesOf(read('a.ndjson')).filter(({ status }) => status === null);
  expect(unanswered[0]).toMatchObject({ failedChecks: ['not_a_server_error'] });
  const { log } = JSON.parse(read('a.har')) as Har;
  expect(log.entries.filter(({ response }) => response.status === 0)).toHaveLength(unanswered.length);
});

test('reports can be set in .contract.yaml, and are omitted in repeat lines', async () => {
  const files = { '.contract.yaml': 'report: ["junit:a.xml", "ndjson:b.ndjson"]\n' };
  const { stdout, read } = await check({ defect: leaking, files, args: ['--operation', 'writeNote'] });
  expect(parseXml(read('a.xml')).name).toBe('testsuites');
  expect(linesOf(read('b.ndjson')).length).toBeGreaterThan(0);
  expect(stdout).toContain('  repeat: npx contract-first check ');
  const { stdout: other } = await check({ defect: leaking, args: ['--report', 'har:c.har'] });
  expect(other).toContain('  repeat: npx contract-first check ');
  for (const text of [stdout, other]) expect(text).not.toContain('--report');
});

test.each([
  ['a folder that is missing', ['har:none/a.har'], 'the report none/a.har cannot be written: ENOENT'],
  [
    'an unknown kind',
    ['vcr:a'],
    '--report must be coverage, or such as junit:report.xml, with junit, json, har, ndjson',
  ],
  ['no file', ['junit'], '--report must be coverage, or such as junit:report.xml'],
  ['one file for two', ['har:a', 'ndjson:a'], '--report: a is the file of several reports'],
])('reports: exit 2 before the first request: %s', async (_name, reports, message) => {
  let requests = 0;
  const args = reports.flatMap((report) => ['--report', report]);
  const { code, stderr } = await check({ defect: (request, respond) => ((requests += 1), respond(request)), args });
  expect([code, requests]).toEqual([2, 0]);
  expect(stderr).toContain(message);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('reports are complete after %s', async (signal, expected) => {
  const url = await startReferenceServer();
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(shallowDocument));
  const reports = ['junit:a.xml', 'har:a.har', 'ndjson:a.ndjson'].flatMap((report) => ['--report', report]);
  const args = ['openapi.json', '--url', url, '--token', TOKEN, '--runs', '100000', ...reports];
  const { process, outcome } = start('node', [SCRIPT, 'check', ...args], {}, folder);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const file = join(folder, 'a.ndjson');
  await until(() => existsSync(file) && readFileSync(file, 'utf8').includes('"findItems"'), true);
  process.kill(signal);
  expect(await outcome).toMatchObject({ code: expected, stderr: '' });
  const requests = linesOf(read('a.ndjson')).length;
  expect((JSON.parse(read('a.har')) as Har).log.entries).toHaveLength(requests);
  expect(parseXml(read('a.xml')).children.length).toBeGreaterThan(0);
});
