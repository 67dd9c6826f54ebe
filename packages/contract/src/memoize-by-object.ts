/** Memoizes a function of an object. Holds its arguments weakly. */
export function memoizeByObject<Key extends object, Result>(create: (key: Key) => Result): (key: Key) => Result {
  const results = new WeakMap<Key, Result>();
  return (key) => {
    if (!results.has(key)) results.set(key, create(key));
    return results.get(key) as Result; // Just set.
  };
}
