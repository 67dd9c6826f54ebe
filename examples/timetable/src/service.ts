import { codecs } from './timetable/codecs.ts';
import { contract } from './timetable/contract.ts';
import { failures } from './timetable/failures.ts';
import { createHandlers } from './timetable/handlers.ts';
import type { Application } from '@contract-first/engine';

const done = async () => undefined;

export const application: Application = {
  contract,
  document: new URL('..', import.meta.url),
  failures,
  codecs,
  open: async () => ({ handlers: createHandlers(), checkers: {}, check: done, close: done }),
};
