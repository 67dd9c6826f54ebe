/**
 * Generates code for a service from its document.
 *
 * @module @contract-first/generate
 */

export { generate, printGenerated, type Generated, type GenerateOptions } from './generate.ts';
export { renderContract } from './render.ts';
