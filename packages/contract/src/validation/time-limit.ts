import process from 'node:process';
import { createContext, Script } from 'node:vm';

/** A function exceeded its time limit. */
export class TimeLimitExceeded extends Error {}

let current: () => void = () => undefined;
// Scripts can access only the global object of their context.
const context = createContext({
  run: () => {
    current();
  },
});
const script = new Script('run()');

// Node 22 measures only the CPU time of all threads; there, a call on a busy machine may get no second attempt.
const hasThreadUsage: boolean = 'threadCpuUsage' in process;
const cpuUsage = (before?: NodeJS.CpuUsage): NodeJS.CpuUsage =>
  hasThreadUsage ? process.threadCpuUsage(before) : process.cpuUsage(before);

// The factor of the second limit, for a call that got too little CPU time on a busy machine.
const RETRY_FACTOR = 3;

/**
 * Calls a synchronous function and interrupts it at the time limit, even inside a regular expression. Starting the
 * watchdog thread takes about 0.1 ms. The function may be called twice. An interruption skips `catch` and `finally`, so
 * that later calls must not depend on the function's state.
 *
 * @throws {TimeLimitExceeded} when the function was interrupted
 */
export function runWithin<T>(limitMs: number, call: () => T): T {
  const before = cpuUsage();
  const first = attempt(limitMs, call);
  if (first !== undefined) return first.value;
  const { user, system } = cpuUsage(before);
  const second = (user + system) / 1_000 < limitMs / 2 ? attempt(RETRY_FACTOR * limitMs, call) : undefined;
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
    current = () => undefined; // Releases the request.
  }
  return result;
}
