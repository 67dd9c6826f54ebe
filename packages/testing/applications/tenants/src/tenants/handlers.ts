import type { Handlers, Matched, Reply, Request, Unmatched } from './contract.ts';

export function createHandlers() {
  return { toString: health, constructor: echo, replaceUnits, findUnits } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}

async function health(): Promise<Reply<'toString'>> {
  return { status: 200, body: 'well' };
}

async function echo({ body }: Request<'constructor'>): Promise<Reply<'constructor'>> {
  return { status: 200, body };
}

async function replaceUnits({ body }: Request<'replaceUnits'>): Promise<Reply<'replaceUnits'>> {
  return { status: 200, body };
}

async function findUnits({ path }: Request<'findUnits'>): Promise<Reply<'findUnits'>> {
  return { status: 200, body: { name: path.tenant, head: 2n ** 63n - 1n, units: [] } };
}
