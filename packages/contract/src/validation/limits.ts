import { _, str } from 'ajv';
import namesModule from 'ajv/dist/compile/names.js';
import formatModule from 'ajv/dist/vocabularies/format/format.js';
import type { AjvInstance } from './ajv.ts';
import { compareNumbers } from '../json/decimal.ts';
import { integerOf, isInt64 } from '../operations/int64.ts';
import { DIGITS, exactValue, type WithDigits } from './exact-values.ts';
import { defaultExport } from './default-export.ts';

const names = defaultExport(namesModule);
const format = defaultExport(formatModule);

/** The keywords: `sign` is 1 for lower limits and -1 for upper limits. */
const LIMITS = {
  minimum: { sign: 1, isInclusive: true, symbol: '>=' },
  maximum: { sign: -1, isInclusive: true, symbol: '<=' },
  exclusiveMinimum: { sign: 1, isInclusive: false, symbol: '>' },
  exclusiveMaximum: { sign: -1, isInclusive: false, symbol: '<' },
} as const;

/**
 * Replaces Ajv's numeric limits, which compare doubles: as doubles, 9007199254740993 does not exceed 9007199254740992.
 */
export function replaceLimits(ajv: Pick<AjvInstance, 'removeKeyword' | 'addKeyword'>): void {
  for (const [keyword, { sign, isInclusive, symbol }] of Object.entries(LIMITS)) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type: 'number',
      schemaType: 'number',
      before: 'format',
      error: {
        message: ({ parentSchema = {} }) => str`must be ${symbol} ${String(exactValue(parentSchema, keyword))}`,
        params: ({ schemaCode }) => _`{comparison: ${symbol}, limit: ${schemaCode}}`,
      },
      code: (context) => {
        const { gen, data, schemaCode, parentSchema, it } = context;
        const text = String(exactValue(parentSchema, keyword));
        const isAllowed = gen.scopeValue('keyword', { ref: createTest(text, sign, isInclusive) });
        const isBeyond = sign > 0 ? _`${data} > ${schemaCode}` : _`${data} < ${schemaCode}`;
        // The digits matter only if the doubles are equal.
        const { rootData } = names;
        const isEqual = _`${data} === ${schemaCode} && ${isAllowed}(${data}, ${rootData}, ${it.parentData}, ${it.parentDataProperty})`;
        context.fail(_`!(${isBeyond} || (${isEqual}))`);
      },
    });
  }
}

/**
 * Makes the format `int64` exact for numbers with digits: ajv-formats accepts every integer. Other numbers are doubles,
 * which may round an int64 of a request up to 2^63.
 */
export function limitInt64s(ajv: Pick<AjvInstance, 'removeKeyword' | 'addKeyword'>): void {
  const isExact: NumberTest = (value, ...place) => {
    // Integers beyond int64 round to 2^63 or more, so most digits need not be read.
    if (Math.abs(value) < 2 ** 63 && Number.isInteger(value)) return true;
    const digits = digitsOf(value, ...place);
    if (digits === undefined) return true;
    const integer = integerOf(digits);
    return integer !== undefined && isInt64(integer);
  };
  ajv.removeKeyword('format');
  ajv.addKeyword({
    ...format,
    code: (context, type) => {
      format.code(context, type);
      const { gen, data, parentSchema, it } = context;
      if (parentSchema['format'] !== 'int64') return;
      const isAllowed = gen.scopeValue('keyword', { ref: isExact });
      const place = _`${names.rootData}, ${it.parentData}, ${it.parentDataProperty}`;
      context.fail(_`typeof ${data} == "number" && !${isAllowed}(${data}, ${place})`);
    },
  });
}

/** @param root the root value, which has the digits @param holder the object or list that contains the number */
type NumberTest = (
  value: number,
  root: WithDigits,
  holder: object | undefined,
  key: string | number | undefined,
) => boolean;

function createTest(limit: string, sign: 1 | -1, isInclusive: boolean): NumberTest {
  return (...place) => {
    const difference = compareNumbers(digitsOf(...place) ?? String(place[0]), limit) * sign;
    return isInclusive ? difference >= 0 : difference > 0;
  };
}

function digitsOf(...[, root, holder, key]: Parameters<NumberTest>): string | undefined {
  return holder && root[DIGITS]?.(holder, String(key));
}
