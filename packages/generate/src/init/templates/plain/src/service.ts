import type { Application } from '@contract-first/engine';
import { checkers } from './NAME/checkers.ts';
import { contract } from './NAME/contract.ts';
import { failures } from './NAME/failures.ts';
import { createHandlers } from './NAME/handlers.ts';

const done = () => Promise.resolve();

/** The service: its document and its handlers, on the engine. */
export const application = {
  contract,
  document: new URL('..', import.meta.url),
  failures,
  open: () => Promise.resolve({ handlers: createHandlers(), checkers, check: done, close: done }),
} satisfies Application;
