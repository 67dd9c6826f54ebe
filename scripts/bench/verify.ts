import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { parseDatabaseUrl } from '../../src/engine/database/open-database.ts';
import { openPlantReader } from '../../src/plants/plant-tables.ts';

/** A server to be verified. */
type Subject = {
  readonly name: string;
  readonly target: string;
  /** Where it keeps plants, if it does. */
  readonly databaseUrl: string | undefined;
  readonly countLogLines: () => number;
  readonly emptyLog: () => void;
};

/**
 * Makes sure that a server does the job: it creates and keeps a plant, refuses what the contract refuses, and logs one
 * line for each request.
 *
 * @throws {Error} when it does not
 */
export async function verify(subject: Subject, token: string): Promise<void> {
  const { name, target, databaseUrl } = subject;
  const expect = (what: string, got: unknown, wanted: unknown): void => {
    if (isDeepStrictEqual(got, wanted)) return;
    throw new Error(`${name}: ${what} is ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`);
  };
  const post = async (body: string, authorization: string | undefined) => {
    const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) };
    const response = await fetch(target, { method: 'POST', headers, body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  const plant = { name: 'Fern', tag: 'indoor' };
  // In a database that others use too, the id tells which plant it is.
  const id = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  const created = await post(JSON.stringify({ id, ...plant }), `Bearer ${token}`);
  expect('the answer', created, { status: 200, body: plant });
  if (databaseUrl !== undefined) expect('what is stored', await findPlant(databaseUrl, id), plant);

  const refused = [
    [400, '{"id":1}', `Bearer ${token}`],
    [400, '{"id":"1","name":"Fern"}', `Bearer ${token}`],
    [400, '{"id":1.5,"name":"Fern"}', `Bearer ${token}`],
    [400, '{"id":1,"name":"Fern","tag":null}', `Bearer ${token}`],
    [400, '{', `Bearer ${token}`],
    [401, JSON.stringify({ id, ...plant }), 'Bearer wrong'],
    [401, JSON.stringify({ id, ...plant }), undefined],
  ] as const;
  for (const [status, body, authorization] of refused) {
    const answer = await post(body, authorization);
    expect(`the status of the answer to ${body}`, answer.status, status);
    const { error, message } = answer.body;
    expect(`the error of the answer to ${body}`, [error, typeof message], [status, 'string']);
  }
  await verifyLog(subject, refused.length + 1);
}

/**
 * Makes sure that a server has logged so many requests since the last time, each with one line.
 *
 * @throws {Error} when it has not
 */
export async function verifyLog({ name, countLogLines, emptyLog }: Subject, requests: number): Promise<void> {
  // The line for a request comes after its answer.
  for (let attempt = 1; countLogLines() < requests && attempt < 1_000; attempt += 1) await setTimeout(10);
  const lines = countLogLines();
  if (lines !== requests) {
    throw new Error(`${name} has logged ${String(lines)} lines for ${String(requests)} requests`);
  }
  emptyLog();
}

async function findPlant(databaseUrl: string, id: number) {
  const parsed = parseDatabaseUrl(databaseUrl);
  if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
  const reader = await openPlantReader(parsed.location);
  try {
    for await (const { id: found, ...plant } of reader.list('history')) if (found === BigInt(id)) return plant;
    return undefined;
  } finally {
    await reader.close();
  }
}
