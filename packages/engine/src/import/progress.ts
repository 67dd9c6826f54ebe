const BAR_COLUMNS = 30;

/**
 * Formats the progress of an import.
 *
 * @param totalBytes the size of the input, `undefined` when it is unknown
 */
export function formatProgress(lines: number, bytes: number, totalBytes: number | undefined, seconds: number): string {
  const counts = `${count(lines)} lines  ${count(lines / seconds)}/s`;
  if (totalBytes === undefined) return counts;
  const done = Math.min(bytes / totalBytes, 1); // The file may have grown.
  const bar = '#'.repeat(Math.floor(done * BAR_COLUMNS)).padEnd(BAR_COLUMNS, '.');
  const percent = String(Math.floor(done * 100)).padStart(3);
  const left = bytes === 0 ? '' : `  ${clock((seconds / done) * (1 - done))} left`;
  return `${percent} %  ${counts}${left}  ${bar}`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Formats seconds as h:mm:ss, or m:ss. */
function clock(seconds: number): string {
  const two = (value: number): string => String(Math.floor(value) % 60).padStart(2, '0');
  const minutes = seconds / 60;
  return minutes < 60
    ? `${String(Math.floor(minutes))}:${two(seconds)}`
    : `${String(Math.floor(minutes / 60))}:${two(minutes)}:${two(seconds)}`;
}
