/** Gives a signal that is aborted by the first request to end the process; a second one ends it at once. */
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
