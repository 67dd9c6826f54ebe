/** Caches results by name for pairs of objects. Holds the objects weakly. */
export class PairCache<T> {
  readonly #results = new WeakMap<object, WeakMap<object, Map<string, T>>>();

  /** Returns the mutable results for two objects; initially empty. */
  of(one: object, other: object): Map<string, T> {
    const ofOne = this.#results.get(one) ?? new WeakMap<object, Map<string, T>>();
    this.#results.set(one, ofOne);
    const results = ofOne.get(other) ?? new Map<string, T>();
    ofOne.set(other, results);
    return results;
  }
}
