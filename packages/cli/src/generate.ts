/**
 * The generator, for build scripts.
 *
 * @module contract-first/generate
 */

export * from '@contract-first/generate';
