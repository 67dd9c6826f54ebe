/**
 * Runs the generator from build scripts.
 *
 * @module contract-first/generate
 */

export * from '@contract-first/generate';
