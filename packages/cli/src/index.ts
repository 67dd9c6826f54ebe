/**
 * Runs the commands from programs.
 *
 * @module contract-first
 */

export { startTemporaryService, type Hooks } from '@contract-first/check';
export { main } from './main.ts';
