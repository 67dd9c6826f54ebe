/** Returns `soak` in `npm run test:soak -w packages/testing`, else `usual`. For example, the repetitions of a test. */
export function rounds<Value>(usual: Value, soak: Value): Value {
  return process.env['npm_lifecycle_event'] === 'test:soak' ? soak : usual;
}
