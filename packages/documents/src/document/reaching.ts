/** Schemas by name. */
export type Schemas = Readonly<Record<string, unknown>>;

/** The beginning of references to schemas. */
export const PREFIX = '#/components/schemas/';

/** Returns the names of the schemas that contain a keyword, directly or by reference. */
export function findReaching(
  schemas: Schemas,
  isKeyword: (key: string, value: unknown) => boolean,
): ReadonlySet<string> {
  const reaching = new Set<string>();
  const users = new Map<unknown, Set<string>>();
  const visit = (node: object, name: string): void => {
    for (const [key, value] of Object.entries(node) as [string, unknown][]) {
      if (isKeyword(key, value)) reaching.add(name);
      else if (key === '$ref' && typeof value === 'string') users.set(value, (users.get(value) ?? new Set()).add(name));
      else if (typeof value === 'object' && value !== null) visit(value, name);
    }
  };
  for (const [name, schema] of Object.entries(schemas))
    if (typeof schema === 'object' && schema !== null) visit(schema, name);
  // The loop also visits names that are added meanwhile.
  for (const name of reaching) for (const user of users.get(PREFIX + name) ?? []) reaching.add(user);
  return reaching;
}
