import type { Failures } from './contract.ts';

export const failures = {
  Failure: ({ status, message }) => ({ error: status, message }),
} satisfies Failures;
