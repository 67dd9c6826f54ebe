/** The methods of Ajv used here. */
type KeywordRegistry = {
  removeKeyword(keyword: string): unknown;
  addKeyword(definition: {
    keyword: string;
    type?: 'array';
    before: string;
    errors: true;
    compile: (schema: unknown) => Check;
  }): unknown;
};

/** A keyword's check. Ajv reads its errors from a property of the function. */
type Check = { (value: unknown): boolean; errors?: object[] };

/** Finds the problem of a value, as Ajv reports it. */
type FindProblem = (value: unknown) => { readonly message: string; readonly params: object } | undefined;

/**
 * Replaces Ajv's `uniqueItems`, `const` and `enum` with linear checks. Ajv compares values one by one, and calls `valueOf`
 * and `toString` of an object, which may be members sent by a client.
 */
export function replaceEqualityKeywords(ajv: KeywordRegistry): void {
  const replace = (
    keyword: string,
    order: { type?: 'array'; before: string },
    create: (schema: unknown) => FindProblem,
  ) => {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      ...order,
      keyword,
      errors: true,
      compile: (schema) => {
        const find = create(schema);
        const check: Check = (value) => {
          const problem = find(value);
          if (problem !== undefined) check.errors = [{ keyword, ...problem }];
          return problem === undefined;
        };
        return check;
      },
    });
  };
  // The linter has checked the shapes of the keywords.
  replace(
    'uniqueItems',
    { type: 'array', before: 'items' },
    (isUnique) => (items) => (isUnique === true ? findDuplicate(items as readonly unknown[]) : undefined),
  );
  replace('const', { before: 'not' }, (allowedValue) => {
    const isAllowed = createTest([allowedValue]);
    const problem = { message: 'must be equal to constant', params: { allowedValue } };
    return (value) => (isAllowed(value) ? undefined : problem);
  });
  replace('enum', { before: 'not' }, (allowedValues) => {
    const isAllowed = createTest(allowedValues as readonly unknown[]);
    const listed = (allowedValues as readonly unknown[]).map((value) =>
      typeof value === 'string' ? value : JSON.stringify(value),
    );
    const message = `must be equal to one of the allowed values: ${listed.join(', ')}`;
    const problem = { message, params: { allowedValues } };
    return (value) => (isAllowed(value) ? undefined : problem);
  });
}

/** Creates the test for one of several values. Of a value larger than all of them, only as many parts are read. */
function createTest(allowedValues: readonly unknown[]): (value: unknown) => boolean {
  const allowed = new Set(allowedValues.map(identityOf));
  const maxParts = allowedValues.reduce<number>((most, value) => Math.max(most, countParts(value, Infinity)), 0);
  return (value) => (!isObject(value) || countParts(value, maxParts) <= maxParts) && allowed.has(identityOf(value));
}

/** Counts a value, its members and their members, until there are more than a limit. */
function countParts(value: unknown, limit: number): number {
  let count = 1;
  if (!isObject(value)) return count;
  for (const key in value) {
    if (count > limit) break;
    count += countParts((value as Readonly<Record<string, unknown>>)[key], limit - count);
  }
  return count;
}

function findDuplicate(items: readonly unknown[]): ReturnType<FindProblem> {
  const seen = new Map<unknown, number>();
  for (const [j, item] of items.entries()) {
    const identity = identityOf(item);
    const i = seen.get(identity);
    if (i !== undefined) {
      const message = `must NOT have duplicate items (items ## ${String(i)} and ${String(j)} are identical)`;
      return { message, params: { i, j } };
    }
    seen.set(identity, j);
  }
  return undefined;
}

/** Returns a key for sets and maps. Two values have the same key if they are equal in JSON Schema (2020-12 core, 4.2.2). */
function identityOf(value: unknown): unknown {
  if (typeof value === 'string') return `"${value}`; // The canonical JSON of arrays and objects never starts like this.
  return isObject(value) ? canonicalJson(value) : value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function canonicalJson(value: unknown): string {
  if (!isObject(value) || value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const object = value as Readonly<Record<string, unknown>>;
  const members = Object.keys(object).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name])}`).join()}}`;
}
