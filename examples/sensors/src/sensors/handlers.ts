import type { Handlers, Matched, Reply, Request, Unmatched } from './contract.ts';

export function createHandlers() {
  return { readSensors, addReading } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}

async function readSensors({ path, query }: Request<'readSensors'>): Promise<Reply<'readSensors'>> {
  const { sensors, format } = path;
  const values = query.hours ?? [];
  if (format === 'csv') return { status: 200, contentType: 'text/csv', body: values.join(',') };
  const since: bigint | null = query.filter?.since ?? query.ids?.[0] ?? null;
  return { status: 203, body: { sensors, values, since } };
}

async function addReading(_request: Request<'addReading'>): Promise<Reply<'addReading'>> {
  return { status: 202 };
}
