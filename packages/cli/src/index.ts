/**
 * The commands, for programs that start them.
 *
 * @module contract-first
 */

export { main } from './main.ts';
export type { Hooks } from './check/hooks.ts';
export { startTemporaryService } from './check/temporary-service.ts';
