/**
 * The contract checks.
 *
 * @module @contract-first/check
 */

export type { Hooks } from './run/hooks.ts';
export { startTemporaryService } from './run/temporary-service.ts';
