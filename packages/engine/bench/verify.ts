import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { parseDatabaseUrl } from '@contract-first/database';
import { openGuestReader } from '@contract-first/testing/fixture/src/guests/guest-book.ts';
import type { ServerProcess } from './server-process.ts';

/** The parts of a server that verification needs. */
type Subject = Pick<ServerProcess, 'countLogLines' | 'emptyLog'> & {
  readonly name: string;
  readonly target: string;
  /** The database for guests; `undefined` for a server without a store. */
  readonly databaseUrl: string | undefined;
};

/**
 * Verifies that a server stores a guest, rejects invalid requests as the contract requires, and logs one line for each
 * request.
 *
 * @throws {Error} when a check fails
 */
export async function verify(subject: Subject, token: string): Promise<void> {
  const { name, target, databaseUrl } = subject;
  const expect = (subjectName: string, actual: unknown, expected: unknown): void => {
    if (isDeepStrictEqual(actual, expected)) return;
    throw new Error(`${name}: ${subjectName} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  };
  const post = async (body: string, authorization: string | undefined) => {
    const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) };
    const response = await fetch(target, { method: 'POST', headers, body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  const guest = { name: 'Anna', tag: 'friend' };
  // A random id identifies the guest, since the database may have others.
  const id = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  const created = await post(JSON.stringify({ id, ...guest }), `Bearer ${token}`);
  expect('the response', created, { status: 200, body: guest });
  if (databaseUrl !== undefined) expect('the stored guest', await findGuest(databaseUrl, id), guest);

  const invalid = [
    [400, '{"id":1}', `Bearer ${token}`],
    [400, '{"id":"1","name":"Anna"}', `Bearer ${token}`],
    [400, '{"id":1.5,"name":"Anna"}', `Bearer ${token}`],
    [400, '{"id":1,"name":"Anna","tag":null}', `Bearer ${token}`],
    [400, '{', `Bearer ${token}`],
    [401, JSON.stringify({ id, ...guest }), 'Bearer wrong'],
    [401, JSON.stringify({ id, ...guest }), undefined],
  ] as const;
  for (const [status, body, authorization] of invalid) {
    const response = await post(body, authorization);
    expect(`the status for ${body}`, response.status, status);
    const { error, message } = response.body;
    expect(`the Error body for ${body}`, [error, typeof message], [status, 'string']);
  }
  await verifyLog(subject, invalid.length + 1);
}

/**
 * Verifies that a server has logged a line for each request, and truncates its log.
 *
 * @throws {Error} when lines are missing
 */
export async function verifyLog({ name, countLogLines, emptyLog }: Subject, requests: number): Promise<void> {
  // A request is logged after its response was sent.
  for (let attempt = 1; countLogLines() < requests && attempt < 1_000; attempt += 1) await setTimeout(10);
  const lines = countLogLines();
  if (lines < requests) {
    throw new Error(`${name} logged only ${String(lines)} lines for ${String(requests)} requests`);
  }
  emptyLog();
}

async function findGuest(databaseUrl: string, id: number) {
  const parsed = parseDatabaseUrl(databaseUrl);
  if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
  const reader = await openGuestReader(parsed.location);
  try {
    for await (const { id: found, ...guest } of reader.list()) if (found === BigInt(id)) return guest;
    return undefined;
  } finally {
    await reader.close();
  }
}
