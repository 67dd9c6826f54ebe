// The application of a document without handlers of its own: `generate --scaffold` adds them.

export const HANDLERS = `import type { Handlers, Matched, Unmatched } from './contract.ts';

/** The handler of every operation, by operationId. */
export function createHandlers() {
  return {} satisfies Handlers;
}

/** Does not compile while an operation has no handler, or a handler no operation: an error names each of them. */
export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}
`;

export const CHECKERS = `import type { Checkers } from './contract.ts';

/** Checks the credentials of security schemes that the engine does not know, by the name of the scheme. */
export const checkers = {} satisfies Checkers;
`;

export const SERVICE = `import { contract } from './application/contract.ts';
import { failures } from './application/failures.ts';
import { checkers } from './application/checkers.ts';
import { createHandlers } from './application/handlers.ts';
import type { Application } from './engine/create-service.ts';

const done = () => Promise.resolve();
export const application: Application = {
  contract,
  failures,
  defaultDatabaseUrl: 'sqlite:unused',
  open: () => Promise.resolve({ handlers: createHandlers(), checkers, check: done, close: done }),
};
`;
