import { _, str } from 'ajv';
import namesModule from 'ajv/dist/compile/names.js';
import multipleOfModule from 'ajv/dist/vocabularies/validation/multipleOf.js';
import type { AjvInstance } from './ajv.ts';
import { parseDecimal } from '../json/decimal.ts';
import { DIGITS, exactValue, type WithDigits } from './exact-values.ts';
import { defaultExport } from './default-export.ts';

const names = defaultExport(namesModule);
const multipleOf = defaultExport(multipleOfModule);

/**
 * Replaces Ajv's `multipleOf`, which divides doubles: 19.99 / 0.01 is 1998.9999999999998. JSON numbers are decimal.
 *
 * Uses the source digits of a number if the validated value has {@link DIGITS}, else the digits of the double.
 */
export function replaceMultipleOf(ajv: Pick<AjvInstance, 'removeKeyword' | 'addKeyword'>): void {
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    ...multipleOf,
    $data: false,
    before: 'format',
    error: {
      ...multipleOf.error,
      message: ({ parentSchema = {} }) => str`must be multiple of ${String(exactValue(parentSchema, 'multipleOf'))}`,
    },
    code: (context) => {
      const { gen, data, parentSchema, it } = context;
      const isMultiple = gen.scopeValue('keyword', { ref: createTest(exactValue(parentSchema, 'multipleOf')) });
      context.fail(_`!${isMultiple}(${data}, ${names.rootData}, ${it.parentData}, ${it.parentDataProperty})`);
    },
  });
}

/** Returns whether a decimal number is a multiple of a divisor. */
export function isMultipleOf(number: string, divisor: string): boolean {
  const { digits, exponent } = parseDecimal(number);
  const unit = parseDecimal(divisor);
  if (digits === '' || unit.digits === '') return digits === '';
  // A multiple has no digit to the right of the divisor's last digit. The power is small for doubles.
  const power = exponent - unit.exponent;
  return power >= 0 && (BigInt(digits) * 10n ** BigInt(power)) % BigInt(unit.digits) === 0n;
}

function createTest(divisor: unknown) {
  const text = String(divisor);
  return (value: number, root: WithDigits, holder: object | undefined, key: string | number | undefined): boolean => {
    const digits = holder && root[DIGITS]?.(holder, String(key));
    // The remainder of integers is exact.
    if (digits === undefined && isSafe(divisor) && isSafe(value)) return value % divisor === 0;
    return isMultipleOf(digits ?? String(value), text);
  };
}

function isSafe(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
