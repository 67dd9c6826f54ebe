import type { Ajv2020 } from 'ajv/dist/2020.js';
import { canonicalDecimal } from './decimals.ts';
import { digitsOf, type DataContext, type ValidationContext } from './validation-context.ts';

/*
 * The checks' own equality: they must not share a fault with the service that they judge. Ajv's compares objects by their
 * members `valueOf` and `toString`, which a server may send, and lists item by item with every other.
 */

/** Replaces the keywords of an Ajv instance that compare values. Numbers are compared by their digits. */
export function addEqualityKeywords(ajv: Ajv2020): void {
  for (const keyword of ['enum', 'const', 'uniqueItems']) ajv.removeKeyword(keyword);
  ajv.addKeyword({
    keyword: 'enum',
    before: 'not',
    errors: false,
    error: { message: 'must be equal to one of the allowed values' },
    compile: (values: readonly unknown[]) => isOneOf(values),
  });
  ajv.addKeyword({
    keyword: 'const',
    before: 'not',
    errors: false,
    error: { message: 'must be equal to constant' },
    compile: (value: unknown) => isOneOf([value]),
  });
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    before: 'items',
    errors: false,
    error: { message: 'must NOT have duplicate items' },
    compile: (isWanted: boolean) =>
      function (this: ValidationContext, items: readonly unknown[]) {
        const texts = items.map((item, index) => canonical(item, this, items, index));
        return !isWanted || new Set(texts).size === items.length;
      },
  });
}

function isOneOf(values: readonly unknown[]) {
  const allowed = new Set(values.map((value) => canonical(value)));
  return function (this: ValidationContext, value: unknown, context?: DataContext): boolean {
    return allowed.has(canonical(value, this, context?.parentData, context?.parentDataProperty));
  };
}

/**
 * Returns a text that equal values share (JSON Schema 2020-12 core, 4.2.2): members are in the order of their names.
 *
 * @param context has the digits of the numbers of a checked value
 * @param holder the object or list that has the value, under the key
 */
function canonical(value: unknown, context?: ValidationContext, holder?: object, key: string | number = ''): string {
  if (typeof value === 'bigint') return canonicalDecimal(String(value));
  if (typeof value === 'number') return canonicalDecimal(digitsOf(context, value, holder, key));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item, index) => canonical(item, context, value, index)).join()}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  const texts = members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member, context, value, name)}`);
  return `{${texts.join()}}`;
}
