import { nextTick } from 'node:process';

/**
 * Collects the responses of one step of the event loop, such as those whose rows share a commit, and sends them all
 * before it finishes any. Each write wakes a client: while it is busy with the first response, the others do not wake
 * it again.
 */
export class ResponseBatch<Item> {
  readonly #send: (item: Item) => void;
  readonly #finish: (item: Item) => void;
  #items: Item[] = [];

  /** Neither function may throw. */
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
