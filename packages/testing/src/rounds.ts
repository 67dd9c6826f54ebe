/** Returns `usual`, or `soak` in `npm run test:soak -w packages/testing`: the number of repetitions of a test, for example. */
export function rounds<Value>(usual: Value, soak: Value): Value {
  return process.env['npm_lifecycle_event'] === 'test:soak' ? soak : usual;
}
