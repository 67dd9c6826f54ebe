import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { violationsIn } from '../src/judgement/checks.ts';
import type { ContractOptions } from '../src/run/contract-options.ts';
import { checkContract } from '../src/contract-run.ts';
import { curlLine } from '../../model/src/requests/curl-line.ts';
import type { Observation } from '../src/judgement/observation.ts';
import { formatResult } from '../src/reports/text.ts';
import { openReports } from '../src/reports/open-reports.ts';
import { EXCERPT_BYTES } from '../../model/src/requests/wire-response.ts';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { HOSTILE_KINDS, startHostileServer, type HostileKind } from './support/hostile-answers.ts';
import { hostileDocument } from './support/hostile-document.ts';
import { ROOT, runProcess, start } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';
import { parseXml } from './support/xml.ts';

type Kind = keyof typeof HOSTILE_KINDS;
type Har = { readonly log: { readonly entries: readonly { readonly response: { readonly content: HarContent } }[] } };
type Options = Partial<ContractOptions> & { readonly size?: number; readonly isLast?: (one: Observation) => boolean };
type HarContent = { readonly text: string; readonly size: number; readonly comment?: string };

const SCRIPT = join(ROOT, 'packages/cli/bin.js');
const LIMIT_BYTES = 1_000_000;
const SIZE = 500_000;
const MIB = 2 ** 20;
// The connection buffers that the server fills before backpressure stops it.
const BUFFERED_BYTES = 16 * MIB;
const ENOUGH_REQUESTS = 20;
const NOT_SAFE = /[\p{Cc}\p{Cs}\p{Bidi_Control}]/u;
const TOO_LARGE = /^max_response_size: the response with status \d+ has more than 1000000 bytes$/;
const INVALID = /^not_a_server_error: .*Parse Error/;
const WRONG = /^response_schema_conformance: the body/;

/** The check and message of the failure that each kind of response must cause; `undefined` for valid responses. */
const VERDICTS: Readonly<Record<Kind, RegExp | undefined>> = {
  'an endless body': TOO_LARGE,
  'an endless chunked body': TOO_LARGE,
  'endless chunks of one byte': TOO_LARGE,
  'an endless chunk extension': INVALID,
  'endless trailers': INVALID,
  'endless headers': INVALID,
  'a header without an end': INVALID,
  'a status line without an end': INVALID,
  'an endless body of a failure': TOO_LARGE,
  'endless interim responses': /: the response is incomplete: its head does not end within 1000000 bytes$/,
  'endless bytes after the end': INVALID,
  'endless answers': INVALID,
  'a declared length of 1 TB': TOO_LARGE,
  'a body of a byte each second': /: the response is incomplete: time-out after 5000 ms$/,
  'a head of a byte each second': /: the response is incomplete: time-out after 5000 ms$/,
  'an interim response each second': /: the response is incomplete: time-out after 5000 ms$/,
  'no answer': /: no valid response: time-out after 5000 ms$/,
  'no answer and the end': /: no valid response: the connection was closed$/,
  'a shorter body than declared': /: the response is incomplete: the connection was closed$/,
  'a longer body than declared': INVALID,
  'two answers': INVALID,
  'an answer before the request': INVALID,
  'a switch of protocols': /: it switches to another protocol, which was not requested$/,
  'an invalid status line': INVALID,
  'a status of 99': /^status_code_conformance: /,
  'a status of 999': /^not_a_server_error: the status is 999 for valid data$/,
  'two lengths': INVALID,
  'a negative length': INVALID,
  'a redirect to itself': /^status_code_conformance: status 302/,
  'a wait of a minute': undefined,
  'a gzip bomb': WRONG,
  'control characters': undefined,
  'a tag with odd characters': undefined,
  'a large header': undefined,
  'a location of angle brackets': undefined,
  'a text without a type': /^content_type_conformance: /,
  'a text of digits': /^content_type_conformance: /,
  'a file': /^content_type_conformance: /,
  'a long string': WRONG,
  'a string of escapes': WRONG,
  'a string of control characters': WRONG,
  'a long id': undefined,
  'a long name, twice': /^response_schema_conformance: the body has a member twice: "x+… \(\d+ characters\)$/,
  'a long name of a wrong value': /^response_schema_conformance: the body\/others\/x+… \(\d+ characters\)$/,
  'many names': undefined,
  'nested lists': WRONG,
  'nested objects': /^(?:response_schema_conformance|max_response_size): /,
  'nested unique lists': /^response_schema_conformance: not judged: this took longer than/,
  'many numbers': undefined,
  'many long numbers': undefined,
  'many objects': undefined,
  'many unique items': undefined,
  'many items of a list': WRONG,
  'a next page again and again': WRONG,
  'many digits': WRONG,
  'a large exponent': WRONG,
  'a string for a costly pattern': WRONG,
  'a string for a costly URI': undefined,
  'a string for a costly address': WRONG,
  'a string for a costly regular expression': WRONG,
  'a long string of an enumeration': WRONG,
  'a prototype': undefined,
  'lone surrogates': undefined,
  'no UTF-8': WRONG,
  'no JSON': WRONG,
};
/** The kinds of responses that take until the request's timeout. */
const SLOW: readonly Kind[] = [
  ...(['a body of a byte each second', 'a head of a byte each second', 'an interim response each second'] as const),
  ...(['no answer', 'a wait of a minute'] as const),
];
const KINDS = Object.keys(HOSTILE_KINDS) as Kind[]; // Object.keys loses the type of the keys.

/** Checks a hostile server until `isLast` returns true or all requests are done. */
async function check(kind: HostileKind, options: Options = {}) {
  const { size = SIZE, isLast = () => false, onExchange, ...others } = options;
  const server = await startHostileServer(kind, size);
  cleanUp(server.close);
  const limits = { seed: 1, runs: 1, budgetMs: 60_000, maxResponseBytes: LIMIT_BYTES };
  const end = new AbortController();
  const result = await checkContract({
    document: hostileDocument,
    baseUrl: server.url,
    ...limits,
    ...others,
    signal: end.signal,
    onExchange: (observation) => {
      onExchange?.(observation);
      if (isLast(observation)) end.abort();
    },
  });
  const verdicts = result.failures.map(({ check: name, message }) => `${name}: ${message}`);
  return { ...result, verdicts, url: server.url, sentBytes: server.sentBytes() };
}

/** Checks a hostile server, and expects its verdict and valid reports with excerpts. */
async function expectVerdict(name: Kind): Promise<void> {
  const folder = temporaryFolder();
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const targets = (['junit', 'har', 'ndjson'] as const).map((kind) => ({ kind, path: join(folder, kind) }));
  const options = { baseUrl: 'http://server', redactor: undefined, repeatLine: () => 'again' };
  const reports = openReports(targets);
  let count = 0;
  const verdict = VERDICTS[name];
  const result = await check(HOSTILE_KINDS[name], {
    ...(name === 'a wait of a minute' && { budgetMs: 100 }), // Only the budget ends the wait.
    onExchange: reports.start(options),
    isLast: ({ failed }) =>
      verdict === undefined
        ? (count += 1) === ENOUGH_REQUESTS
        : failed.some(({ check: found, message }) => verdict.test(`${found}: ${message}`)),
  });
  reports.finish(result, undefined);

  const { verdicts, errors, requests, sentBytes } = result;
  expect(errors).toEqual([]);
  expect(verdicts.filter((text) => text.includes('a bug of this tool'))).toEqual([]);
  if (verdict !== undefined) expect(verdicts).toContainEqual(expect.stringMatching(verdict));
  expect(sentBytes).toBeLessThan((requests + 1) * (LIMIT_BYTES + BUFFERED_BYTES));
  expect(
    formatResult(result, options)
      .split('\n')
      .filter((line) => NOT_SAFE.test(line)),
  ).toEqual([]);
  expect(parseXml(read('junit')).name).toBe('testsuites');
  const { entries } = (JSON.parse(read('har')) as Har).log;
  expect(read('ndjson').trimEnd().split('\n')).toHaveLength(Math.max(entries.length, 1));
  for (const { text, size, comment } of entries.map(({ response }) => response.content)) {
    expect(text.length).toBeLessThan(2 * EXCERPT_BYTES); // Base64 is longer.
    expect(comment !== undefined).toBe(size > EXCERPT_BYTES);
  }
}

test.each(KINDS.filter((name) => !SLOW.includes(name)))('the check survives, with its results: %s', expectVerdict);
test('the check survives, with its results: responses that are too slow', async () => {
  await Promise.all(SLOW.map(expectVerdict));
}, 20_000);

test('a large response is judged up to the size limit', async () => {
  const checks = new Set(['response_schema_conformance', 'not_a_server_error'] as const);
  const isLast = ({ testCase }: Observation): boolean => testCase.kind === 'positive';
  const options = { size: 15 * MIB, checks, maxResponseBytes: undefined, operations: ['readThing'], isLast };
  for (const kind of ['a long id', 'a string of escapes'] as const) {
    const { verdicts } = await check(HOSTILE_KINDS[kind], options);
    expect(verdicts).toEqual(kind === 'a long id' ? [] : ['response_schema_conformance: the body must be object']);
  }
});

test('a documented file beyond the size limit is noted, and is not a failure', async () => {
  const options = { size: 2 * LIMIT_BYTES, checks: new Set(['max_response_size'] as const) };
  const file = await check(HOSTILE_KINDS['a file'], { ...options, operations: ['readFile'] });
  expect(file.notes).toContain('readFile: responds 200 beyond --max-response-size: not read to the end');
  expect(file.verdicts).toEqual([expect.stringMatching(TOO_LARGE)]); // From an undocumented method.
  const thing = await check(HOSTILE_KINDS['a long id'], { ...options, operations: ['readThing'] });
  expect(thing.notes).toEqual([]);
  expect(thing.failures.map(({ check: name, operationId }) => [name, operationId])).toEqual([
    ['max_response_size', 'readThing'],
  ]);
});

test('a bug while judging a response is a failure of the running check', () => {
  const exchange: Partial<Parameters<typeof violationsIn>[0]> = {
    testCase: { kind: 'unsupported method' } as never,
    response: { status: 500 } as never,
  };
  const violations = violationsIn(exchange as Parameters<typeof violationsIn>[0]); // The check reads only these.
  expect(violations).toContainEqual(
    expect.objectContaining({
      check: 'unsupported_method',
      message: expect.stringMatching(/^a bug of this tool: .*Error: .* \(check\/src\/[\w/-]+\.ts:\d+\)$/),
    }),
  );
});

test('a bug elsewhere ends the check of one operation, and is reported', async () => {
  const result = await check(HOSTILE_KINDS['two lengths'], {
    onExchange: ({ operation }) => {
      if (operation.operationId === 'readFile') throw new TypeError('oops');
    },
  });
  expect(result.errors).toEqual([
    {
      operationId: 'readFile',
      message: expect.stringMatching(/^a bug of this tool: TypeError: oops \(check\/test\//),
    },
  ]);
  const others = ['listThings', 'createThing', 'readThing', 'deleteThing', 'readText'];
  expect(new Set(result.failures.map(({ operationId }) => operationId))).toEqual(new Set(others));
  expect(formatResult(result, { baseUrl: result.url, redactor: undefined, repeatLine: () => '' })).toMatch(
    /\nreadFile: not checked to the end: a bug of this tool: TypeError: oops .*\nchecked: .*, 1 error \(seed 1\)$/,
  );
});

test('control characters in a header are escaped in the curl line', () => {
  const request = { method: 'GET', target: '/', headers: [['If-Match', '"\x9b2J"']] as const, body: undefined };
  expect(curlLine(request, 'http://server')).toBe(
    `curl -sSi --path-as-is -g -X GET 'http://server/' -H "$(printf 'If-Match: "\\2332J"')"`,
  );
});

/** Writes the document to a temporary folder, and starts a server. */
async function prepare(kind: Kind): Promise<{ readonly folder: string; readonly args: readonly string[] }> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(hostileDocument));
  const { url, close } = await startHostileServer(HOSTILE_KINDS[kind], SIZE);
  cleanUp(close);
  return { folder, args: [SCRIPT, 'check', 'openapi.json', '--url', url, '--seed', '1'] };
}

test('contract-first check --max-response-size truncates responses', async () => {
  const { folder, args } = await prepare('a long id');
  const limit = ['--max-response-size', '1000', '--operation', 'readThing', '--runs', '1'];
  const { code, stdout, stderr } = await runProcess('node', [...args, ...limit], {}, folder);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^the first failure: /) });
  expect(stdout).toContain(
    'FAILED max_response_size  readThing\n  the response with status 200 has more than 1000 bytes\n',
  );
});

test('contract-first check prints its findings when it is interrupted during a request', async () => {
  const { folder, args } = await prepare('an endless body');
  const { process, outcome } = start('node', [...args, '--report', 'ndjson:a', '--runs', '100000'], {}, folder);
  const file = join(folder, 'a');
  await until(() => existsSync(file) && readFileSync(file, 'utf8').includes('max_response_size'), true);
  process.kill('SIGINT');
  const { code, stdout, stderr } = await outcome;
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringMatching(/^the first failure: /) });
  expect(stdout).toMatch(/^FAILED max_response_size /m);
  expect(stdout).toMatch(/\nchecked: 6 operations, .* failures?, .*\(seed 1\)\n$/);
});
