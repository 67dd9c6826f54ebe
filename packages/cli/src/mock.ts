/**
 * Runs the mock in the tests of a client.
 *
 * @module contract-first/mock
 */

export * from '@contract-first/mock';
