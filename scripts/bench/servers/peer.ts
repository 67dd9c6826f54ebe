import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { ContractDocument } from '../../../src/engine/contract/slice.ts';
import { createLog } from '../../../src/engine/process/log.ts';
import { openBenchStore } from '../store.ts';

// What the peers have in common, so that they differ in nothing but their framework: settings, log, token, domain.

export type NewPlant = { readonly id: number; readonly name: string; readonly tag?: string };
export type Plant = Omit<NewPlant, 'id'>;

/** The log of the service. One line for each request goes to it, at info. */
export const log = await createLog('info', false);
const knownToken = process.env['API_TOKENS'];
const store = await openBenchStore(process.env, log);

/** The contract, as JSON, which is read faster than YAML. */
export function readDocument(): ContractDocument & { readonly paths: Readonly<Record<string, unknown>> } {
  return JSON.parse(readFileSync(process.env['DOCUMENT'] ?? '', 'utf8')) as ReturnType<typeof readDocument>; // Ours.
}

/** A comparison that costs nothing: the service, which compares digests in constant time, is to get no favours. */
export function isKnownToken(token: string | undefined): boolean {
  return token === knownToken;
}

/** Whether the header has the known bearer token. */
export function isAuthorized(authorization: string | undefined): boolean {
  return authorization?.startsWith('Bearer ') === true && isKnownToken(authorization.slice(7));
}

/** The operation. A number beyond 2^53 has been rounded by then: the peers are spared what exact int64s cost. */
export async function createPlant({ id, name, tag }: NewPlant): Promise<Plant> {
  const plant = tag === undefined ? { name } : { name, tag };
  await store.add({ id: BigInt(id), ...plant });
  return plant;
}

/** Tells the bench where the server listens. */
export function announce(address: AddressInfo | string | null): void {
  if (address !== null && typeof address !== 'string') {
    process.send?.({ url: `http://127.0.0.1:${String(address.port)}` });
  }
}
