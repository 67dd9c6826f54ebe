import type { Ajv2020 } from 'ajv/dist/2020.js';
import { canonicalDecimal } from './decimals.ts';
import { digitsOf, type DataContext, type ValidationContext } from './validation-context.ts';

/*
 * Compares JSON values. Independent of the engine's code, so that the checks do not share its bugs. Ajv's comparison
 * calls the members `valueOf` and `toString`, which a server may send, and compares list items pairwise.
 */

/** Replaces `enum`, `const` and `uniqueItems` of an Ajv instance. Compares numbers by their digits. */
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
 * Returns a canonical text, which is the same for equal values (JSON Schema 2020-12 core, 4.2.2). Members are sorted by
 * name.
 *
 * @param context contains the source digits of the validated value
 * @param holder the object or list that contains the value, under the key
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
