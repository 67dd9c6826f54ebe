import type { Failures } from './contract.ts';

export const failures = {
  Failure: ({ status, message }) => ({ status, message }),
} satisfies Failures;
