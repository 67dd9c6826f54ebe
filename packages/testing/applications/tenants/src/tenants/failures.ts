import type { Failures } from './contract.ts';

export const failures = {
  Error: ({ status, message }) => ({ error: status, message }),
} satisfies Failures;
