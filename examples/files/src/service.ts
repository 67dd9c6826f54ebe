import { access, constants } from 'node:fs/promises';
import type { Application } from '@contract-first/engine';
import { contract } from './files/contract.ts';
import { failures } from './files/failures.ts';
import { openFolder } from './files/folder.ts';
import { createHandlers } from './files/handlers.ts';
import { settings } from './settings.ts';

export const application = {
  contract,
  document: new URL('..', import.meta.url),
  failures,
  settings,
  async open({ settings: { FILES_FOLDER } }) {
    const handlers = createHandlers(await openFolder(FILES_FOLDER));
    const check = () => access(FILES_FOLDER, constants.W_OK);
    return { handlers, checkers: {}, check, close: async () => undefined };
  },
} satisfies Application<undefined, typeof settings>;
