import type { Failures } from './contract.ts';

export const failures = {
  Failure: ({ status, message }) => ({ status, detail: message }),
} satisfies Failures;
