type Variables = Readonly<Record<string, string | undefined>>;

/** Reads environment variables, and collects a message for each invalid one. */
export class EnvironmentReader {
  readonly variables: Variables;
  readonly problems: string[] = [];
  readonly #secrets: ReadonlySet<string>;

  /** @param secrets the names of variables whose values must not appear in messages */
  constructor(variables: Variables, secrets: ReadonlySet<string> = new Set()) {
    this.variables = variables;
    this.#secrets = secrets;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.variables[name];
    if (text === undefined) return fallback;
    const value = /^(?:\d+|-[1-9]\d*)$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    this.#refuse(name, `an integer from ${String(min)} to ${String(max)}`);
    return fallback;
  }

  milliseconds(name: string, fallback: number): number {
    return this.integer(name, fallback, 100, 3_600_000);
  }

  port(name: string, fallback: number): number {
    return this.integer(name, fallback, 0, 65_535);
  }

  host(name: string): string {
    const host = this.variables[name] ?? '127.0.0.1';
    // With an empty host, Node would listen on every interface.
    if (host.trim() === '') this.problems.push(`${name} must not be empty; 0.0.0.0 listens on every IPv4 interface`);
    return host;
  }

  /** Returns `undefined` when the variable is not set. */
  switch(name: string): boolean | undefined {
    const text = this.variables[name];
    if (text === undefined) return undefined;
    if (text !== 'on' && text !== 'off') this.#refuse(name, 'on or off');
    return text === 'on';
  }

  /** Returns `undefined` when the variable is not set. */
  text(name: string): string | undefined {
    const text = this.variables[name];
    if (text?.trim() === '') this.problems.push(`${name} must not be empty`);
    return text;
  }

  /** Returns `undefined` when the variable is not set. */
  url(name: string): string | undefined {
    const text = this.variables[name];
    if (text !== undefined && !URL.canParse(text)) this.#refuse(name, 'a URL');
    return text;
  }

  /** Returns `undefined` when the variable is not set. */
  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    const text = this.variables[name];
    const value = values.find((other) => other === text);
    if (text !== undefined && value === undefined) this.#refuse(name, `one of ${values.join(', ')}`);
    return value;
  }

  #refuse(name: string, expected: string): void {
    const given = this.#secrets.has(name) ? '' : `, not "${String(this.variables[name])}"`;
    this.problems.push(`${name} must be ${expected}${given}`);
  }
}
