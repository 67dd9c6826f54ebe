const snakeCases = new Map<string, string>();
const MAX_NAMES = 10_000;

/** Converts a name to snake case. */
export function snakeCase(name: string): string {
  const known = snakeCases.get(name);
  if (known !== undefined) return known;
  const snake = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
  if (snakeCases.size < MAX_NAMES) snakeCases.set(name, snake); // The same names are converted frequently.
  return snake;
}
