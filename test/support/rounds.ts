/** Returns how often a test repeats: often where CI is set, seldom on a developer's machine. */
export function rounds(seldom: number, often: number): number {
  return process.env['CI'] === undefined ? seldom : often;
}
