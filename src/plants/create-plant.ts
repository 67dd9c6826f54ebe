import type { Reply, Request } from './contract.ts';
import type { PlantStore } from './plant-store.ts';

/** Stores a NewPlant and responds with its Plant, which has no id. */
export async function createPlant(
  store: Pick<PlantStore, 'add'>,
  { body }: Request<'createPlant'>,
): Promise<Reply<'createPlant'>> {
  const { id, name, tag } = body;
  const plant = tag === undefined ? { name } : { name, tag };
  await store.add({ id, ...plant });
  return { status: 200, body: plant };
}
