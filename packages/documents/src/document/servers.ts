import type { Server } from './document.ts';

/** The paths of servers, without a trailing slash. */
type BasePaths = {
  readonly basePaths: readonly string[];
  /** The paths with a variable of any value, which is one segment: `/{1}`. Absent when there are none. */
  readonly templatedBasePaths?: readonly string[];
};

// Does not occur in URLs, and is not percent-encoded in a path.
const MARK = /~(\d+)~/g;

/** Returns the paths of servers, with every value that their variables may have; `undefined` without servers. */
export function basePathsOf(servers: readonly Server[] = []): BasePaths | undefined {
  if (servers.length === 0) return undefined;
  const basePaths = new Set(servers.flatMap(pathsOf));
  const templated = new Set(servers.flatMap(templatesOf));
  return { basePaths: [...basePaths], ...(templated.size > 0 && { templatedBasePaths: [...templated] }) };
}

/** Returns the paths of a server with every value of its variables, the default first. */
function pathsOf({ url, variables = {} }: Server): string[] {
  const first = pathOf(url, (name) => variables[name]?.default);
  // Variables of the host have no effect on the path.
  const choices = Object.entries(variables).filter(([name, { enum: values = [] }]) =>
    values.some((value) => pathOf(url, (other) => (other === name ? value : variables[other]?.default)) !== first),
  );
  const filled = choices.reduce<Readonly<Record<string, string>>[]>(
    (all, [name, { enum: values = [] }]) =>
      all.flatMap((given) => values.map((value) => ({ ...given, [name]: value }))),
    [{}],
  );
  return [first, ...filled.map((given) => pathOf(url, (name) => given[name] ?? variables[name]?.default))];
}

function templatesOf({ url, variables = {} }: Server): string[] {
  const marked = Object.entries(variables).map(([name, variable], index) => {
    const mark = `~${String(index)}~`;
    const path = pathOf(url, (other) => (other === name ? mark : variables[other]?.default));
    const isAny = variable.enum === undefined && path.includes(mark) && !variable.default.includes('/');
    return [name, isAny ? { default: mark } : variable] as const;
  });
  const paths = pathsOf({ url, variables: Object.fromEntries(marked) });
  return paths.filter((path) => path.search(MARK) !== -1).map((path) => path.replaceAll(MARK, '{$1}'));
}

function pathOf(url: string, valueOf: (name: string) => string | undefined): string {
  const filled = url.replaceAll(/\{([^{}]+)\}/g, (_all, name: string) => valueOf(name) ?? '');
  return (URL.parse(filled, 'http://localhost')?.pathname ?? '').replace(/\/+$/, '');
}
