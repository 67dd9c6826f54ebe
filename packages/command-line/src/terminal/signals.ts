// The maximum time that a command outlives npm's shell.
const POLL_MS = 200;

/**
 * Sends SIGTERM to this process when npm's shell ends. npm forwards signals only to its shell, and most shells do not
 * forward them to the command.
 */
export function stopWithNpm(): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, POLL_MS);
  timer.unref();
}

/** Returns an `AbortSignal` that the first termination signal aborts. A second signal ends the process at once. */
export function abortOnSignals(): Disposable & { readonly signal: AbortSignal } {
  const interruption = new AbortController();
  const abort = (name: NodeJS.Signals): void => {
    interruption.abort(name);
  };
  const names = ['SIGINT', 'SIGTERM'] as const;
  for (const name of names) process.once(name, abort);
  return {
    signal: interruption.signal,
    [Symbol.dispose]: () => {
      for (const name of names) process.off(name, abort);
    },
  };
}
