import type { Handlers, Reply, Request } from '../contract/contract.ts';
import type { PlantStore } from '../store/plant-store.ts';

export function createHandlers(_store: PlantStore): Handlers {
  return { toString: health, constructor: echo, replaceUnits, findUnits };
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
