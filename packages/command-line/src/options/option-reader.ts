/** A secret value, which is printed as an environment variable. */
export type Secret = { readonly variable: string; readonly value: string };

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Parses the text of an option; returns `undefined` and reports a problem if it is invalid. */
export type ParseText<Value> = (text: string, place: string) => Value | undefined;

/** Reads the values of given options. */
export type OptionReader = {
  readonly has: (name: string) => boolean;
  readonly textOf: (name: string) => string | undefined;
  readonly textsOf: (name: string) => readonly string[] | undefined;
  readonly membersOf: (name: string) => ReadonlyMap<string, unknown>;
  /** Returns the place of an option, for messages. */
  readonly placeOf: (name: string) => string;
  /** Parses each value of an option. */
  readonly read: <Value>(name: string, readText: ParseText<Value>) => Value[];
  readonly readInteger: (name: string, least: number, most: number) => number | undefined;
  /** Replaces `${NAME}` with the environment variable, and treats its value as a secret. */
  readonly expand: (text: string, place: string) => string;
  /** Adds a secret value. Uses a different variable if the variable already has another value. */
  readonly hide: (variable: string, value: string) => void;
  /** The secret values. */
  readonly secrets: readonly Secret[];
  /** Reports a problem. */
  readonly refuse: (problem: string) => void;
};

/** Creates a reader that collects problems in a list. */
export function createOptionReader(
  given: ReadonlyMap<string, GivenOption>,
  environment: Environment,
  problems: string[],
): OptionReader {
  const secrets: Secret[] = [];
  const refuse = (problem: string): void => {
    problems.push(problem);
  };
  return {
    has: (name) => given.has(name),
    textOf: (name) => given.get(name)?.values[0],
    textsOf: (name) => given.get(name)?.values,
    membersOf: (name) => given.get(name)?.members ?? new Map(),
    placeOf: (name) => given.get(name)?.place ?? '',
    read,
    readInteger,
    expand,
    hide,
    secrets,
    refuse,
  };

  function read<Value>(name: string, readText: ParseText<Value>): Value[] {
    const { values = [], place = '' } = given.get(name) ?? {};
    return values.map((text) => readText(text, place)).filter((value) => value !== undefined);
  }

  function readInteger(name: string, least: number, most: number): number | undefined {
    const [value] = read(name, (text, place) => {
      const number = Number(text);
      if (/^\d+$/.test(text) && number >= least && number <= most) return number;
      refuse(`${place} must be an integer from ${String(least)} to ${String(most)}, not "${text}"`);
      return undefined;
    });
    return value;
  }

  function hide(variable: string, value: string): void {
    const known = secrets.find((secret) => secret.variable === variable);
    if (known === undefined) secrets.push({ variable, value });
    else if (known.value !== value) hide(`${variable}_`, value);
  }

  function expand(text: string, place: string): string {
    return text.replaceAll(/\$\{(\w+)\}/g, (_whole, variable: string) => {
      const value = environment[variable];
      if (value === undefined) refuse(`${place}: the environment has no ${variable}`);
      else hide(variable, value);
      return value ?? '';
    });
  }
}

/** A given option: its values, or the members of a map, and its place for messages. A flag has neither. */
export type GivenOption = {
  readonly values: readonly string[];
  readonly members?: ReadonlyMap<string, unknown>;
  readonly place: string;
};
