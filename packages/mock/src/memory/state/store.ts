import { isObject, type Json, type JsonObject, sizeOf, sizeOfText } from '@contract-first/model/values';
import { MAX_KEPT_SIZE } from '../../bounded-map.ts';

/** The state of a resource; `undefined` for a deleted singleton. */
export type State = Json | undefined;

/**
 * Stores resources in memory, by path. Removes the oldest resources above a number or a total size, but none before its
 * nested resources.
 */
export class ResourceStore {
  readonly #limit: number;
  #size = 0;
  /** The states by path, oldest first. */
  readonly #states = new Map<string, State>();
  /** The paths of the resources in a collection, in the order of their creation. */
  readonly #collections = new Map<string, Set<string>>();
  /** The cached lists of unchanged collections. */
  readonly #lists = new Map<string, readonly JsonObject[]>();
  /** The collections at and under a path. */
  readonly #below = new Map<string, Set<string>>();
  // Reused, since a new iterator would skip all deleted entries again.
  readonly #oldest = this.#states.keys();
  readonly #onChange: () => void;

  /** @param onChange is called after each change */
  constructor(limit: number, onChange: () => void) {
    this.#limit = limit;
    this.#onChange = onChange;
  }

  has(path: string): boolean {
    return this.#states.has(path);
  }

  get(path: string): State {
    return this.#states.get(path);
  }

  /** Creates or changes a resource. */
  set(path: string, state: State): void {
    const collection = collectionPathOf(path);
    const paths = this.#collections.get(collection) ?? this.#addCollection(collection);
    paths.add(path);
    this.#size += sizeOfState(path, state) - this.#sizeAt(path);
    this.#states.set(path, state);
    this.#lists.delete(collection);
    while (this.#states.size > this.#limit || (this.#size > MAX_KEPT_SIZE && this.#states.size > 1))
      this.#forgetOldest();
    this.#onChange();
  }

  /** Removes all resources. */
  clear(): void {
    for (const path of this.#states.keys()) this.remove(path);
  }

  /** Removes a resource and its nested resources. */
  remove(path: string): void {
    const own = collectionPathOf(path);
    this.#size -= this.#sizeAt(path);
    this.#states.delete(path);
    this.#lists.delete(own);
    const siblings = this.#collections.get(own);
    siblings?.delete(path);
    if (siblings?.size === 0) this.#removeCollection(own);
    for (const collection of this.#below.get(path) ?? [])
      for (const inner of this.#collections.get(collection) ?? []) this.remove(inner);
    this.#onChange();
  }

  /** Returns the states of a collection by the last segment of their path, in creation order. */
  in(collection: string): readonly (readonly [segment: string, state: State])[] {
    const paths = [...(this.#collections.get(collection) ?? [])];
    return paths.map((path) => [path.slice(collection.length + 1), this.#states.get(path)]);
  }

  /** Returns the objects of a collection in creation order. */
  list(collection: string): readonly JsonObject[] {
    const known = this.#lists.get(collection);
    if (known !== undefined) return known;
    const paths = this.#collections.get(collection) ?? [];
    const list = [...paths].map((path) => this.#states.get(path) ?? null).filter(isObject);
    if (list.length > 0) this.#lists.set(collection, list);
    return list;
  }

  /** Yields all resources; within a collection, in creation order. */
  *entries(): Generator<readonly [path: string, state: State]> {
    for (const paths of this.#collections.values()) for (const path of paths) yield [path, this.#states.get(path)];
  }

  #sizeAt(path: string): number {
    return this.#states.has(path) ? sizeOfState(path, this.#states.get(path)) : 0;
  }

  #forgetOldest(): void {
    const { value: path } = this.#oldest.next();
    if (path === undefined) return;
    if (!this.#below.has(path)) {
      this.remove(path);
      return;
    }
    const state = this.#states.get(path);
    this.#states.delete(path);
    this.#states.set(path, state); // Makes it the newest resource.
  }

  #addCollection(collection: string): Set<string> {
    const paths = new Set<string>();
    this.#collections.set(collection, paths);
    for (const outer of pathsTo(collection)) {
      const inside = this.#below.get(outer) ?? new Set();
      this.#below.set(outer, inside.add(collection));
    }
    return paths;
  }

  #removeCollection(collection: string): void {
    this.#collections.delete(collection);
    for (const outer of pathsTo(collection)) {
      const inside = this.#below.get(outer);
      inside?.delete(collection);
      if (inside?.size === 0) this.#below.delete(outer);
    }
  }
}

/** Returns the size of a resource with its path. */
export function sizeOfState(path: string, state: State): number {
  return sizeOfText(path.length) + sizeOf(state ?? null);
}

/** Returns the path of a resource's collection. */
export function collectionPathOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Returns a path and all its ancestors. */
function pathsTo(path: string): readonly string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 2).join('/'));
}
