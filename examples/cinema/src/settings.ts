import type { Settings } from '@contract-first/engine';

/** The environment variables that the cinema adds to the variables of the engine. */
export const settings = {
  /** How long seats are kept for a booking that is not paid. */
  HOLD_SECONDS: { type: 'integer', minimum: 0, maximum: 86_400, default: 600 },
} satisfies Settings;
