/** Reads environment variables, and collects a message for each invalid one. */
export class Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly problems: string[] = [];

  constructor(variables: Readonly<Record<string, string | undefined>>) {
    this.variables = variables;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.variables[name];
    if (text === undefined) return fallback;
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    this.problems.push(`${name} must be an integer from ${String(min)} to ${String(max)}, not "${text}"`);
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
    if (text !== 'on' && text !== 'off') this.problems.push(`${name} must be on or off, not "${text}"`);
    return text === 'on';
  }
}
