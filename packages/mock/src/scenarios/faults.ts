import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Operation, Unavailable } from '@contract-first/contract';
import { type AnyReply, onDisconnect } from '@contract-first/engine/tools';
import type { Fail, MockRequest } from '../memory/reply.ts';
import { type Delay, preferredDelay } from '../responses/preferences.ts';

/**
 * Creates Express middleware that delays all responses, including engine responses. Drops a request if its client
 * disconnects during the delay.
 *
 * @param usual the default delay
 */
export function createDelay(usual: Delay, random: () => number) {
  return (req: IncomingMessage, res: ServerResponse, next: () => void): void => {
    const { least, most } = askedDelay(req) ?? usual;
    if (most === 0) {
      next();
      return;
    }
    const timer = setTimeout(
      () => {
        stopWatching();
        next();
      },
      least + random() * (most - least),
    );
    const stopWatching = onDisconnect(req, res, () => {
      clearTimeout(timer);
      res.destroy();
    });
  };
}

function askedDelay({ headers, url = '' }: IncomingMessage): Delay | undefined {
  const [, query = ''] = url.split('?', 2);
  if (headers['prefer'] === undefined && query === '') return undefined;
  return preferredDelay({ rawHeaders: headers, query: Object.fromEntries(new URLSearchParams(query)) });
}

const MESSAGE = 'the service is unavailable for now (--error-rate)';
const UNAVAILABLE = 503;

/** The share of failing requests, and a random number generator. */
type Errors = { readonly rate: number; readonly random: () => number };

/**
 * Creates a function that fails a share of an operation's requests with the first documented 5xx or 503. The function
 * returns `undefined` for other requests.
 */
export function createErrors({ responses }: Operation, { rate, random }: Errors, fail: Fail) {
  const status = Number(Object.keys(responses).find((key) => /^5\d\d$/.test(key)) ?? UNAVAILABLE);
  return (request: MockRequest): AnyReply | undefined => {
    if (random() >= rate) return undefined;
    const reply = fail(request, status, MESSAGE);
    if (reply === undefined) throw new Unavailable(MESSAGE); // The engine renders undocumented failures.
    return reply;
  };
}

/** Creates a seeded generator of numbers from 0 to below 1. */
export function createRandom(seed: string): () => number {
  let count = 0;
  return () => {
    count += 1;
    return Number.parseInt(hash('sha256', `${seed} ${String(count)}`).slice(0, 12), 16) / 16 ** 12;
  };
}
