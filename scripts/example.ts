import createClient from 'openapi-fetch';
import { parseArgs } from 'node:util';
import type { Paths } from '../src/plants/contract.ts';
import { stringifyJson } from '@contract-first/engine';
import { startTemporaryService } from 'contract-first';

// `npm run example` is a TypeScript client with the types of the document. It calls the service at --url with --token, or
// starts one on a temporary store.
const { url, token = '' } = parseArgs({ options: { url: { type: 'string' }, token: { type: 'string' } } }).values;
const service = url === undefined ? await startTemporaryService() : { url, token, stop: async () => undefined };
try {
  await example(service.url, service.token);
} finally {
  await service.stop();
}

async function example(baseUrl: string, token: string): Promise<void> {
  // An int64 is a bigint, which JSON.stringify does not support.
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

  const unauthorized = await client.POST('/plants', { body: plant });
  console.log(unauthorized.response.status, unauthorized.error?.message);
}
