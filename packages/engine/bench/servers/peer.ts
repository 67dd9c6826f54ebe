import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createLog } from '../../src/process/log.ts';
import { openBenchStore } from '../store.ts';

// Shared by all peers, so that they differ only in their framework: settings, log, token and domain.

export type NewGuest = { readonly id: number; readonly name: string; readonly tag?: string };
export type Guest = Omit<NewGuest, 'id'>;

/** The log of the service; peers log one line for each request at info. */
export const log = await createLog('info', false);
const knownToken = process.env['API_TOKENS'];
const store = await openBenchStore(process.env, log);

/** Reads the document that the benchmark has written, in JSON since YAML is slower to parse. */
export function readDocument(): { readonly openapi: string; readonly paths: Readonly<Record<string, unknown>> } {
  return JSON.parse(readFileSync(process.env['DOCUMENT'] ?? '', 'utf8')) as ReturnType<typeof readDocument>;
}

/** Compares tokens directly. The service compares digests in constant time, so this favours the peers. */
export function isKnownToken(token: string | undefined): boolean {
  return token === knownToken;
}

/** Returns whether an Authorization header has the known bearer token. */
export function isAuthorized(authorization: string | undefined): boolean {
  return authorization?.startsWith('Bearer ') === true && isKnownToken(authorization.slice(7));
}

/** Creates a guest. Ids beyond 2^53 have been rounded: peers do not pay for exact int64s. */
export async function createGuest({ id, name, tag }: NewGuest): Promise<Guest> {
  const guest = tag === undefined ? { name } : { name, tag };
  await store.add({ id: BigInt(id), ...guest });
  return guest;
}

/** Sends the URL of the server to the benchmark. */
export function announce(address: AddressInfo | string | null): void {
  if (address !== null && typeof address !== 'string') {
    process.send?.({ url: `http://127.0.0.1:${String(address.port)}` });
  }
}
