import type { Handlers, Matched, Reply, Request, Unmatched } from './contract.ts';
import type { Order, Orders } from './orders.ts';

export function createHandlers(orders: Orders) {
  return {
    createOrder: (request) => createOrder(orders, request),
    getOrder: (request) => getOrder(orders, request),
  } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}

async function createOrder(
  orders: Orders,
  { body, caller, url }: Request<'createOrder'>,
): Promise<Reply<'createOrder'>> {
  const order = orders.add(body.item, caller.name);
  const Location = url('getOrder', { path: { id: order.id } });
  return { status: 201, headers: { Location }, body: toBody(order) };
}

async function getOrder(orders: Orders, { path, caller }: Request<'getOrder'>): Promise<Reply<'getOrder'>> {
  const order = orders.find(path.id);
  if (order?.customer !== caller.name)
    return { status: 404, body: { status: 404, detail: 'this order does not exist' } };
  return { status: 200, body: toBody(order) };
}

function toBody({ id, item, paid }: Order) {
  return { id, item, paid };
}
