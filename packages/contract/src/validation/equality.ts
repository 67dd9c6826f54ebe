import type { AjvInstance, SchemaError } from './ajv.ts';
import { DIGITS, exactValue, numberKey, type DigitsOf, type WithDigits } from './exact-values.ts';
import { stringifyJson } from '../json/json.ts';

/** The validation function of a keyword. Ajv reads its `errors` property. */
type Check = { (value: unknown, context?: Context): boolean; errors?: Partial<SchemaError>[] };

/** Ajv's context of a validated value. */
type Context = {
  readonly parentData: object | undefined;
  readonly parentDataProperty: string | number;
  readonly rootData: object;
};

/** Returns the message and parameters of an Ajv error; `undefined` for a valid value. */
type FindProblem = (place: Place) => { readonly message: string; readonly params: object } | undefined;

/** A value with the source digits of its numbers. */
type Place = { readonly value: unknown; readonly digits: string | undefined; readonly digitsOf: DigitsOf | undefined };

/**
 * Replaces Ajv's `uniqueItems`, `const` and `enum` with linear-time checks that compare numbers exactly. Ajv compares
 * values pairwise, and calls an object's `valueOf` and `toString`, which may be members from the client.
 */
export function replaceEqualityKeywords(ajv: Pick<AjvInstance, 'removeKeyword' | 'addKeyword'>): void {
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
      compile: (_schema: unknown, parentSchema) => {
        const find = create(exactValue(parentSchema, keyword));
        const check: Check = (value, context) => {
          const problem = find(placeOf(value, context));
          if (problem !== undefined) check.errors = [{ keyword, ...problem }];
          return problem === undefined;
        };
        return check;
      },
    });
  };
  // The types of the keyword values are already validated.
  replace(
    'uniqueItems',
    { type: 'array', before: 'items' },
    (isUnique) =>
      ({ value, digitsOf }) =>
        isUnique === true ? findDuplicate(value as readonly unknown[], digitsOf) : undefined,
  );
  replace('const', { before: 'not' }, (allowedValue) => {
    const isAllowed = createTest([allowedValue]);
    const problem = { message: 'must be equal to constant', params: { allowedValue } };
    return (place) => (isAllowed(place) ? undefined : problem);
  });
  replace('enum', { before: 'not' }, (allowedValues) => {
    const isAllowed = createTest(allowedValues as readonly unknown[]);
    const listed = (allowedValues as readonly unknown[]).map((value) =>
      typeof value === 'string' ? value : stringifyJson(value),
    );
    const message = `must be equal to one of the allowed values: ${listed.join(', ')}`;
    const problem = { message, params: { allowedValues } };
    return (place) => (isAllowed(place) ? undefined : problem);
  });
}

function placeOf(value: unknown, context: Context | undefined): Place {
  const { [DIGITS]: digitsOf }: WithDigits = context?.rootData ?? {};
  const { parentData: holder, parentDataProperty = '' } = context ?? {};
  // The root value has no holder.
  const digits =
    typeof value === 'number' && isObject(holder) ? digitsOf?.(holder, String(parentDataProperty)) : undefined;
  return { value, digits, digitsOf };
}

/** Creates a test for `enum` or `const`. Stops reading a value that has more parts than any allowed value. */
function createTest(allowedValues: readonly unknown[]): (place: Place) => boolean {
  const allowed = new Set(allowedValues.map((value) => equalityKey(value)));
  const maxParts = allowedValues.reduce<number>((most, value) => Math.max(most, countParts(value, Infinity)), 0);
  return ({ value, digits, digitsOf }) =>
    (!isObject(value) || countParts(value, maxParts) <= maxParts) && allowed.has(equalityKey(value, digits, digitsOf));
}

/** Counts a value and all nested members. Stops above a limit. */
function countParts(value: unknown, limit: number): number {
  let count = 1;
  if (!isObject(value)) return count;
  for (const key in value) {
    if (count > limit) break;
    count += countParts((value as Readonly<Record<string, unknown>>)[key], limit - count);
  }
  return count;
}

function findDuplicate(items: readonly unknown[], digitsOf: DigitsOf | undefined): ReturnType<FindProblem> {
  const seen = new Map<unknown, number>();
  for (const [j, item] of items.entries()) {
    const key = equalityKey(item, digitsOf?.(items, String(j)), digitsOf);
    const i = seen.get(key);
    if (i !== undefined) {
      const message = `must NOT have duplicate items (items ## ${String(i)} and ${String(j)} are identical)`;
      return { message, params: { i, j } };
    }
    seen.set(key, j);
  }
  return undefined;
}

/**
 * Returns a key for sets and maps. Values have the same key if they are equal in JSON Schema (2020-12 core, 4.2.2).
 *
 * @param digits the source digits of a number that its double may not represent
 * @param digitsOf returns the source digits of nested numbers
 */
export function equalityKey(value: unknown, digits?: string, digitsOf?: DigitsOf): unknown {
  if (typeof value === 'string') return `"${value}`; // The canonical JSON of arrays and objects never starts like this.
  if (typeof value === 'bigint') return numberKey(String(value));
  if (digits !== undefined) return numberKey(digits);
  return isObject(value) ? canonicalJson(value, digitsOf) : value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function canonicalJson(value: object, digitsOf: DigitsOf | undefined): string {
  if (value instanceof Date) return JSON.stringify(value);
  const textOf = (member: unknown, key: string): string => {
    if (isObject(member)) return canonicalJson(member, digitsOf);
    if (typeof member === 'string') return JSON.stringify(member);
    return String(equalityKey(member, digitsOf?.(value, key)));
  };
  if (Array.isArray(value)) return `[${value.map((item, index) => textOf(item, String(index))).join()}]`;
  const object = value as Readonly<Record<string, unknown>>;
  const members = Object.keys(object).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${textOf(object[name], name)}`).join()}}`;
}
