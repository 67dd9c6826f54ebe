import { isLiteralKeyword } from './keywords.ts';

// What Ajv writes out as a few comparisons is faster than a function.
const FEW = 100;
const MARK = 'x-equal-';

/**
 * Marks, in place, each `const` and `enum` of a document that has objects or many values: Ajv goes through them one by
 * one, and calls `valueOf` and `toString` of an object, which may be members that a client has sent.
 */
export function markEqualities(node: unknown, parentKey = ''): void {
  if (typeof node !== 'object' || node === null) return;
  const schema = node as Record<string, unknown>;
  for (const [key, member] of Object.entries(schema)) {
    const isEquality = (key === 'const' || key === 'enum') && isLiteralKeyword(key, parentKey);
    if (isEquality) {
      const values = valuesOf(key, member);
      if (values.length <= FEW && values.every((value) => typeof value !== 'object' || value === null)) continue;
      schema[MARK + key] = member;
      Reflect.deleteProperty(schema, key);
    } else if (!isLiteralKeyword(key, parentKey)) markEqualities(member, key);
  }
}

function valuesOf(keyword: string, schema: unknown): readonly unknown[] {
  return keyword === 'const' ? [schema] : (schema as readonly unknown[]); // The linter has checked its shape.
}

/** Replaces Ajv's `uniqueItems`, which compares items pair by pair, and adds the keywords of {@link markEqualities}. */
export function addEqualities(ajv: Keywords): void {
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
      keyword: MARK + keyword,
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

/** What of Ajv is needed here. */
type Keywords = {
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

/** A check that leaves its problems on itself, as Ajv expects. */
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

/** A key for sets and maps: the same for two values exactly when JSON Schema calls them equal (2020-12 core, 4.2.2). */
function identityOf(value: unknown): unknown {
  if (typeof value === 'string') return `"${value}`; // No array or object is written like that.
  return typeof value === 'object' && value !== null ? canonicalJson(value) : value;
}

function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const object = value as Readonly<Record<string, unknown>>;
  const members = Object.keys(object).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name])}`).join()}}`;
}
