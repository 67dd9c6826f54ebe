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
