import type { Checkers } from './contract.ts';

/** Checks the credentials of security schemes that the engine does not know, by the name of the scheme. */
export const checkers = {} satisfies Checkers;
