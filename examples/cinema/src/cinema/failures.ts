import type { Failures } from './contract.ts';

export const failures = {
  Problem: ({ status, message }) => ({ status, detail: message }),
} satisfies Failures;
