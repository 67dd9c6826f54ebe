import type { JsonObject } from '../../values/json-value.ts';

/** Keeps resources in memory, by their path. The oldest ones are forgotten beyond a limit. */
export class Store {
  readonly #limit: number;
  /** In the order of their creation. A resource that is the only one of its path is `undefined` once it is deleted. */
  readonly #states = new Map<string, JsonObject | undefined>();
  /** The paths of the resources in a collection. */
  readonly #collections = new Map<string, Set<string>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(path: string): boolean {
    return this.#states.has(path);
  }

  get(path: string): JsonObject | undefined {
    return this.#states.get(path);
  }

  /** Creates or changes a resource. */
  set(path: string, state: JsonObject | undefined): void {
    const collection = collectionOf(path);
    const paths = this.#collections.get(collection) ?? new Set();
    this.#collections.set(collection, paths.add(path));
    this.#states.set(path, state);
    const [oldest] = this.#states.size > this.#limit ? this.#states.keys() : [];
    if (oldest !== undefined) this.remove(oldest);
  }

  /** Removes a resource and those below it. */
  remove(path: string): void {
    this.#states.delete(path);
    const siblings = this.#collections.get(collectionOf(path));
    siblings?.delete(path);
    if (siblings?.size === 0) this.#collections.delete(collectionOf(path));
    for (const [collection, paths] of this.#collections)
      if (collection.startsWith(`${path}/`)) for (const inner of paths) this.remove(inner);
  }

  /** Lists the resources of a collection in the order of their creation. */
  list(collection: string): readonly JsonObject[] {
    const paths = this.#collections.get(collection) ?? [];
    return [...paths].map((path) => this.#states.get(path)).filter((state) => state !== undefined);
  }
}

function collectionOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
