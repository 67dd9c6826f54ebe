import { Unavailable, type Operation } from '@contract-first/contract';
import type { AnyReply } from '@contract-first/engine/tools';
import type { Fail, MockRequest } from '../memory/reply.ts';

const MESSAGE = 'the service is unavailable for now (--error-rate)';
const UNAVAILABLE = 503;

/** The share of requests that fail, and the source of chance. */
export type Errors = { readonly rate: number; readonly random: () => number };

/**
 * Creates a function that fails a share of the requests to an operation: with the first documented 5xx, or 503. It returns
 * `undefined` for the others.
 */
export function createErrors({ responses }: Operation, { rate, random }: Errors, fail: Fail) {
  const status = Number(Object.keys(responses).find((key) => /^5\d\d$/.test(key)) ?? UNAVAILABLE);
  return (request: MockRequest): AnyReply | undefined => {
    if (random() >= rate) return undefined;
    const reply = fail(request, status, MESSAGE);
    if (reply === undefined) throw new Unavailable(MESSAGE); // The engine has a body for undocumented failures.
    return reply;
  };
}
