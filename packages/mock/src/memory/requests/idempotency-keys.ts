import type { Once } from '@contract-first/engine/tools';
import { sizeOfText } from '@contract-first/model/values';
import { BoundedMap } from '../../bounded-map.ts';

/** Stores the results of requests with a documented `Idempotency-Key`. */
export class IdempotencyKeys {
  readonly #results: BoundedMap<string>;
  readonly #running = new Set<string>();

  constructor(limit: number) {
    this.#results = new BoundedMap(limit, (key, result) => sizeOfText(key.length) + sizeOfText(result.length));
  }

  readonly once: Once = async (key, work) => {
    const known = this.#results.get(key);
    if (known !== undefined || this.#running.has(key)) return known;
    this.#running.add(key);
    try {
      const result = await work();
      this.#results.set(key, result);
      return result;
    } finally {
      this.#running.delete(key);
    }
  };

  clear(): void {
    this.#results.clear();
  }
}
