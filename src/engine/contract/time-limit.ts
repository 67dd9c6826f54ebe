import { threadCpuUsage } from 'node:process';
import { createContext, Script } from 'node:vm';

/** A function did not return in time. */
export class TimeLimitExceeded extends Error {}

let current: () => void = () => undefined;
// A context of its own, for a script sees nothing but the global object of its context.
const context = createContext({
  run: () => {
    current();
  },
});
const script = new Script('run()');

// How much longer a call may take that has not had its share of a processor, on a busy or throttled machine.
const PATIENCE = 3;

/**
 * Calls a synchronous function and stops it when it takes too long, even within a regular expression. Starting the
 * thread that watches costs some 0.1 ms. The function may be called twice, and must leave nothing behind that a later
 * call relies on: neither `catch` nor `finally` in it runs when it is stopped.
 *
 * @throws {TimeLimitExceeded} when it has been stopped
 */
export function runWithin<T>(limitMs: number, call: () => T): T {
  const before = threadCpuUsage();
  const first = attempt(limitMs, call);
  if (first !== undefined) return first.value;
  const { user, system } = threadCpuUsage(before);
  const second = (user + system) / 1_000 < limitMs / 2 ? attempt(PATIENCE * limitMs, call) : undefined;
  if (second !== undefined) return second.value;
  throw new TimeLimitExceeded(`took longer than ${String(limitMs)} ms`);
}

function attempt<T>(timeout: number, call: () => T): { readonly value: T } | undefined {
  let result: { readonly value: T } | undefined;
  current = () => {
    result = { value: call() };
  };
  try {
    script.runInContext(context, { timeout });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  } finally {
    current = () => undefined; // Keeps nothing of the request.
  }
  return result;
}
