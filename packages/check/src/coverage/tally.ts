/** The names of what may be seen, by whether it was. */
export type Tally = { readonly seen: readonly string[]; readonly notSeen: readonly string[] };

/** Notes which of some names are seen. */
export type Counter = {
  /** Adds a name that may be seen. */
  readonly expect: (name: string) => void;
  /** Marks a name as seen; ignores others. */
  readonly mark: (name: string) => void;
  readonly tally: () => Tally;
};

/** Creates a counter with names that may be seen. */
export function createCounter(names: readonly string[] = []): Counter {
  const isSeen = new Map(names.map((name) => [name, false]));
  return {
    expect: (name) => void isSeen.set(name, false),
    mark: (name) => {
      if (isSeen.has(name)) isSeen.set(name, true);
    },
    tally: () => {
      const namesOf = (wanted: boolean) => [...isSeen].filter(([, seen]) => seen === wanted).map(([name]) => name);
      return { seen: namesOf(true), notSeen: namesOf(false) };
    },
  };
}
