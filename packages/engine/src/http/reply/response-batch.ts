import { nextTick } from 'node:process';

/**
 * Collects the responses of one step of the event loop, for example of requests that share a commit, and sends all of
 * them before it finishes any. Each write wakes a client; a client that is busy with the first response is not woken
 * again.
 */
export class ResponseBatch<Item> {
  readonly #send: (item: Item) => void;
  readonly #finish: (item: Item) => void;
  #items: Item[] = [];

  /** Neither callback may throw. */
  constructor(send: (item: Item) => void, finish: (item: Item) => void) {
    this.#send = send;
    this.#finish = finish;
  }

  add(item: Item): void {
    if (this.#items.push(item) === 1) nextTick(this.#flush);
  }

  readonly #flush = (): void => {
    const items = this.#items;
    this.#items = [];
    for (const item of items) this.#send(item);
    for (const item of items) this.#finish(item);
  };
}
