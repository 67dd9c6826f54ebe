import type { Failures } from './contract.ts';

/** Renders the failures of the service as the document describes them, by the name of their schema. */
export const failures = {} satisfies Failures;
