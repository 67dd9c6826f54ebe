import type { Settings } from '@contract-first/engine';

/** The variables of the service, beside those of the engine. */
export const settings = {
  /** The folder of the stored files. */
  FILES_FOLDER: { type: 'string', default: './data/files' },
} satisfies Settings;
