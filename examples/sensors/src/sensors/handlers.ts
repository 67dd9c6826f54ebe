import type { Handlers, Matched, Reply, Request, Unmatched } from './contract.ts';
import type { Readings } from './readings.ts';

export function createHandlers(readings: Readings) {
  return {
    addReading: (request) => addReading(readings, request),
    listReadings: (request) => listReadings(readings, request),
  } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}

async function addReading(readings: Readings, { body }: Request<'addReading'>): Promise<Reply<'addReading'>> {
  const { sensor, value, at = new Date() } = body;
  const reading = { sensor, value, at };
  await readings.add(reading);
  return { status: 201, body: reading };
}

async function listReadings(
  readings: Readings,
  { path, query }: Request<'listReadings'>,
): Promise<Reply<'listReadings'>> {
  const list = await readings.list(path.sensor, query.since ?? new Date(0));
  if (path.format === 'json') return { status: 200, contentType: 'application/json', body: list };
  const lines = list.map(({ value, at }) => `${at.toISOString()},${String(value)}\n`);
  return { status: 200, contentType: 'text/csv', body: `at,value\n${lines.join('')}` };
}
