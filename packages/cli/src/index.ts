/**
 * The commands, for programs that start them.
 *
 * @module contract-first
 */

export { main } from './main.ts';
export type { Hooks } from './check/run/hooks.ts';
export { startTemporaryService } from './check/run/temporary-service.ts';
