/** Returns how often a test repeats: `usual` times, or `soak` times in `npm run test:soak -w packages/testing`. */
export function rounds(usual: number, soak: number): number {
  return process.env['npm_lifecycle_event'] === 'test:soak' ? soak : usual;
}
