/**
 * The commands, for programs that start them.
 *
 * @module contract-first
 */

export { startTemporaryService, type Hooks } from '@contract-first/check';
export { main } from './main.ts';
