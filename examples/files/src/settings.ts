import type { Settings } from '@contract-first/engine';

/** The environment variables that the service adds to the variables of the engine. */
export const settings = {
  /** The folder of the stored files. */
  FILES_FOLDER: { type: 'string', default: './data/files' },
} satisfies Settings;
