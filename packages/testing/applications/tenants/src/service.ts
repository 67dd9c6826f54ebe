import { contract } from './tenants/contract.ts';
import { failures } from './tenants/failures.ts';
import { createHandlers } from './tenants/handlers.ts';
import type { Application } from '@contract-first/engine';

const done = async () => undefined;

export const application: Application = {
  contract,
  document: new URL('..', import.meta.url),
  failures,
  open: async () => ({ handlers: createHandlers(), checkers: {}, check: done, close: done }),
};
