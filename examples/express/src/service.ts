import { randomUUID } from 'node:crypto';
import type { Application } from '@contract-first/engine';
import { contract } from './express/contract.ts';
import { failures } from './express/failures.ts';
import { createHandlers } from './express/handlers.ts';
import { createOrders } from './express/orders.ts';
import { createPaymentHook } from './express/payments.ts';

const done = async () => undefined;

export const application = {
  contract,
  document: new URL('..', import.meta.url),
  failures,
  async open() {
    const orders = createOrders();
    // Without PAYMENT_SECRET, no payment is accepted.
    const secret = process.env['PAYMENT_SECRET'] ?? randomUUID();
    const middleware = [createPaymentHook(orders, secret)];
    return { handlers: createHandlers(orders), checkers: {}, middleware, check: done, close: done };
  },
} satisfies Application;
