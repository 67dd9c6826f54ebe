import createClient from 'openapi-fetch';
import { parseArgs } from 'node:util';
import type { Paths } from '../src/plants/contract.ts';
import { stringifyJson } from '../src/engine/contract/json.ts';
import { startTemporaryService } from './check/temporary-service.ts';

// `npm run example` calls a service the way a client in TypeScript does, with the types of the document: the one at --url
// with --token, or one of its own on a temporary store.
const text = { type: 'string' } as const;
const { url, token = '' } = parseArgs({ options: { url: text, token: text } }).values;
const service = url === undefined ? await startTemporaryService() : { url, token, stop: async () => undefined };
try {
  await example(service.url, service.token);
} finally {
  await service.stop();
}

async function example(baseUrl: string, token: string): Promise<void> {
  // An int64 is a bigint, which JSON.stringify does not know.
  const client = createClient<Paths>({ baseUrl, bodySerializer: stringifyJson });
  const headers = { Authorization: `Bearer ${token}` };

  const plant = { id: 9_223_372_036_854_775_807n, name: 'Fern', tag: 'indoor' };
  const created = await client.POST('/plants', { headers, body: plant });
  if (created.error !== undefined) throw new Error(created.error.message);
  const { name, tag } = created.data;
  console.log(200, `${name} (${tag ?? 'no tag'})`);

  // @ts-expect-error a plant has a name
  const nameless = await client.POST('/plants', { headers, body: { id: 1n } });
  console.log(nameless.response.status, nameless.error?.message);

  const stranger = await client.POST('/plants', { body: plant });
  console.log(stranger.response.status, stranger.error?.message);
}
