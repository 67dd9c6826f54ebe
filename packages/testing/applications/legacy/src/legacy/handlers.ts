import type { Handlers, Matched, Reply, Request, Unmatched } from './contract.ts';

export function createHandlers() {
  return { putAccount } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}

async function putAccount({ path, query, body }: Request<'putAccount'>): Promise<Reply<'putAccount'>> {
  if (query.dryRun && path.id === 404n) return { status: 404, body: { error: 404, message: 'no such account' } };
  return { status: 200, body };
}
