import { isLiteralKeyword } from './keywords.ts';

// Up to this many values, Ajv's inline comparisons are faster than a set.
const MAX_INLINE_VALUES = 100;
const PREFIX = 'x-equal-';

/**
 * Replaces, in place, each `const` and `enum` that has objects or many values with a keyword of
 * {@link addEqualityKeywords}. Ajv compares the values one by one, and calls `valueOf` and `toString` of an object, which
 * may be members sent by a client.
 */
export function replaceEqualityKeywords(node: unknown, parentKey = ''): void {
  if (typeof node !== 'object' || node === null) return;
  const schema = node as Record<string, unknown>;
  for (const [key, member] of Object.entries(schema)) {
    const isEquality = (key === 'const' || key === 'enum') && isLiteralKeyword(key, parentKey);
    if (isEquality) {
      const values = valuesOf(key, member);
      const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
      if (values.length <= MAX_INLINE_VALUES && values.every(isScalar)) continue;
      schema[PREFIX + key] = member;
      Reflect.deleteProperty(schema, key);
    } else if (!isLiteralKeyword(key, parentKey)) replaceEqualityKeywords(member, key);
  }
}

function valuesOf(keyword: string, schema: unknown): readonly unknown[] {
  return keyword === 'const' ? [schema] : (schema as readonly unknown[]); // The linter has checked its shape.
}

/**
 * Replaces Ajv's `uniqueItems`, which compares each pair of items, with a linear check, and adds the keywords of
 * {@link replaceEqualityKeywords}.
 */
export function addEqualityKeywords(ajv: KeywordRegistry): void {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    before: 'items',
    errors: true,
    compile: (isUnique) => {
      const check: Check = (items) => {
        const [first, second] = (isUnique === true ? findDuplicates(items as readonly unknown[]) : undefined) ?? [];
        if (first === undefined || second === undefined) return true;
        const message = `must NOT have duplicate items (items ## ${String(first)} and ${String(second)} are identical)`;
        check.errors = [{ keyword: 'uniqueItems', message, params: { i: first, j: second } }];
        return false;
      };
      return check;
    },
  });
  const addMembership = (keyword: string, toProblem: (schema: unknown) => Omit<Problem, 'keyword'>): void => {
    ajv.addKeyword({
      keyword: PREFIX + keyword,
      before: 'not',
      errors: true,
      compile: (schema) => {
        const allowed = new Set(valuesOf(keyword, schema).map(identityOf));
        const check: Check = (value) => {
          if (allowed.has(identityOf(value))) return true;
          check.errors = [{ keyword, ...toProblem(schema) }];
          return false;
        };
        return check;
      },
    });
  };
  addMembership('const', (allowedValue) => ({ message: 'must be equal to constant', params: { allowedValue } }));
  addMembership('enum', (allowedValues) => ({
    message: 'must be equal to one of the allowed values',
    params: { allowedValues },
  }));
}

/** The methods of Ajv used here. */
type KeywordRegistry = {
  removeKeyword(keyword: string): unknown;
  addKeyword(definition: {
    keyword: string;
    type?: 'array';
    schemaType?: 'boolean';
    before: string;
    errors: true;
    compile: (schema: unknown) => Check;
  }): unknown;
};

type Problem = {
  readonly keyword: string;
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
};

/** A keyword's check. Ajv reads its errors from a property of the function. */
type Check = { (value: unknown): boolean; errors?: Problem[] };

function findDuplicates(items: readonly unknown[]): readonly [number, number] | undefined {
  const seen = new Map<unknown, number>();
  for (const [index, item] of items.entries()) {
    const identity = identityOf(item);
    const first = seen.get(identity);
    if (first !== undefined) return [first, index];
    seen.set(identity, index);
  }
  return undefined;
}

/** Returns a key for sets and maps. Two values have the same key if they are equal in JSON Schema (2020-12 core, 4.2.2). */
function identityOf(value: unknown): unknown {
  if (typeof value === 'string') return `"${value}`; // The canonical JSON of arrays and objects never starts like this.
  return typeof value === 'object' && value !== null ? canonicalJson(value) : value;
}

function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const object = value as Readonly<Record<string, unknown>>;
  const members = Object.keys(object).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name])}`).join()}}`;
}
