/** Results by name that belong to two objects, kept as long as both are in use. */
export class PairCache<T> {
  readonly #results = new WeakMap<object, WeakMap<object, Map<string, T>>>();

  /** Returns the results for two objects; at first, none. */
  of(one: object, other: object): Map<string, T> {
    const ofOne = this.#results.get(one) ?? new WeakMap<object, Map<string, T>>();
    this.#results.set(one, ofOne);
    const results = ofOne.get(other) ?? new Map<string, T>();
    ofOne.set(other, results);
    return results;
  }
}
