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
