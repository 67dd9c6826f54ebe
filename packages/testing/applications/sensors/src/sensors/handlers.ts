import type { Handlers, Matched, Paths, Reply, Request, Unmatched } from './contract.ts';

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

async function addReading({ body }: Request<'addReading'>): Promise<Reply<'addReading'>> {
  return { status: 202, body: { at: body?.at ?? new Date() } };
}

// The rest is only type-checked, never run.
type Reading = NonNullable<Request<'addReading'>['body']>;
type Accepted = Extract<Reply<'addReading'>, { status: 202 }>;
type Sent = Paths['/readings']['post']['responses'][202]['content']['application/json'];

export function dates({ at }: Reading, day: Request<'readSensors'>['path']['day'], sent: Sent): unknown[] {
  const time: Date | undefined = at;
  const undeclared: string = day;
  const json: string = sent.at;
  // @ts-expect-error a handler gets a Date
  const text: string | undefined = at;
  return [time, undeclared, json, text];
}
export const accepted: Accepted[] = [
  { status: 202, body: { at: new Date() } },
  // @ts-expect-error a handler returns a Date
  { status: 202, body: { at: '2026-01-01T00:00:00Z' } },
];
