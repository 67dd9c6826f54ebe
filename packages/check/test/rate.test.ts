import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCommand } from '../src/command.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { startReferenceServer, type ServerAnswer } from './support/reference-server.ts';

const SECOND_MS = 1_000;
const operation = (operationId: string) => ({ get: { operationId, responses: { '200': { description: 'Done' } } } });
const document = {
  openapi: '3.1.0',
  info: { title: 'Slow', version: '1' },
  security: [],
  paths: { '/a': operation('getA'), '/b': operation('getB') },
};
const done: ServerAnswer = { status: 200, headers: {}, body: '' };
const ARGS = [
  '--seed',
  '1',
  '--runs',
  '0',
  '--checks',
  'positive_data_acceptance,not_a_server_error,max_response_time',
];

/** Checks a server whose responses depend on the request's number and time. */
async function check(answer: (count: number, nowMs: number) => ServerAnswer, args: readonly string[]) {
  const times: number[] = [];
  const url = await startReferenceServer(() => {
    times.push(performance.now());
    return answer(times.length, performance.now());
  });
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  const outcome = await runHere(checkCommand, ['openapi.json', '--url', url, ...ARGS, ...args], folder, {});
  return { ...outcome, times };
}

test('--rate limits the requests of all workers together', async () => {
  const { code, times } = await check(() => done, ['--rate', '12.5', '--workers', '2']);
  const [first = 0] = times;
  const lastMs = (times.at(-1) ?? 0) - first;
  expect(code).toBe(0);
  expect(times.length).toBeGreaterThan(5);
  expect(lastMs).toBeGreaterThanOrEqual((times.length - 2) * (SECOND_MS / 12.5));
});

const inSeconds = (): string => '1';
const asTime = (): string => new Date(Date.now() + 2 * SECOND_MS).toUTCString();

test.each([
  ['429', 'in seconds', 429, inSeconds],
  ['503', 'in seconds', 503, inSeconds],
  ['429', 'as a time', 429, asTime],
  ['503', 'as a time', 503, asTime],
])('after a %s, all workers wait as long as Retry-After requires: %s', async (_status, _form, status, retryAfter) => {
  let until = 0;
  const early: number[] = [];
  const answer = (count: number, nowMs: number): ServerAnswer => {
    if (count === 3) {
      until = nowMs + SECOND_MS;
      return { status, headers: { 'Retry-After': retryAfter() }, body: '' };
    }
    if (nowMs < until) early.push(count);
    return done;
  };
  const { code, stdout, times } = await check(answer, ['--workers', '2', '--max-response-time', '900']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('0 failures')]);
  expect(times.length).toBeGreaterThan(5);
  expect(early.length).toBeLessThanOrEqual(1); // The other worker may already have sent a request.
});

test('an operation that asks for waits beyond its share of the budget does not hold the others', async () => {
  let limited = 0;
  const url = await startReferenceServer((request) => {
    if (!request.url.startsWith('/a')) return done;
    limited += 1;
    return limited > 2 ? { status: 429, headers: { 'Retry-After': '30' }, body: '' } : done;
  });
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  const { code, stdout } = await runHere(checkCommand, ['openapi.json', '--url', url, ...ARGS], folder, {});
  expect([code, limited]).toEqual([2, 3]);
  expect(stdout).toContain('getA: stopped early: its waits (Retry-After) are longer than its share of --budget\n');
  expect(stdout).toContain('incomplete, with less than the minimum of requests: getA\n');
  expect(stdout).toContain(' 0 failures, 1 incomplete (seed 1)');
});

test.each([
  ['a wait of more than a minute', '61'],
  ['neither seconds nor a time', 'soon'],
])('a 503 is a failure without waiting: %s', async (_name, retryAfter) => {
  const answer = (count: number): ServerAnswer =>
    count === 3 ? { status: 503, headers: { 'Retry-After': retryAfter }, body: '' } : done;
  const { stdout } = await check(answer, []);
  expect(stdout).toContain('FAILED not_a_server_error');
});

test('a server may be overloaded again after the wait without a failure', async () => {
  const answer = (count: number): ServerAnswer =>
    count > 2 && count % 3 > 0 ? { status: 429, headers: { 'Retry-After': '0' }, body: '' } : done;
  const { code, times } = await check(answer, []);
  expect(code).toBe(0);
  expect(times.length).toBeGreaterThan(15);
});

test('a server that stays overloaded after every wait fails', async () => {
  const answer = (): ServerAnswer => ({ status: 503, headers: { 'Retry-After': '0' }, body: '' });
  const { stdout } = await check(answer, []);
  expect(stdout).toContain('FAILED not_a_server_error');
});

test.each(['0', '-1', 'fast'])('exit 2: the rate %s', async (rate) => {
  const { code, stderr } = await check(() => done, ['--rate', rate]);
  expect([code, stderr]).toEqual([2, `--rate must be a number above 0, such as 20 or 0.5, not "${rate}"\n`]);
});
