/** A map that forgets its oldest entries beyond a limit. */
export class BoundedMap<Value> extends Map<string, Value> {
  readonly #limit: number;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override set(key: string, value: Value): this {
    super.set(key, value);
    const [oldest] = this.size > this.#limit ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return this;
  }
}
