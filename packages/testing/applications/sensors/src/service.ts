import { contract } from './sensors/contract.ts';
import { failures } from './sensors/failures.ts';
import { formats } from './sensors/formats.ts';
import { createHandlers } from './sensors/handlers.ts';
import type { Application } from '@contract-first/engine';

const done = async () => undefined;

export const application: Application = {
  contract,
  document: new URL('..', import.meta.url),
  failures,
  formats,
  open: async () => ({ handlers: createHandlers(), checkers: {}, check: done, close: done }),
};
