/**
 * The contract checks.
 *
 * @module @contract-first/check
 */

export { CHECK_TEXTS } from './judgement/check-texts.ts';
export type { Hooks } from './run/hooks.ts';
export { startTemporaryService } from './run/temporary-service.ts';
