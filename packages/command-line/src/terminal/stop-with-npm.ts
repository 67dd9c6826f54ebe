// How long a command outlives the shell in which npm started it, at most.
const POLL_MS = 200;

/**
 * Sends SIGTERM to this process when the shell ends in which npm started it. npm passes signals to its shell only, and most
 * shells do not pass them on.
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
