import { _, str } from 'ajv';
import namesModule from 'ajv/dist/compile/names.js';
import type { AjvInstance } from './ajv.ts';
import { compareNumbers } from '../json/decimal.ts';
import { DIGITS, exactValue, type WithDigits } from './exact-values.ts';
import { defaultExport } from './default-export.ts';

const names = defaultExport(namesModule);

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

function createTest(limit: string, sign: 1 | -1, isInclusive: boolean) {
  return (value: number, root: WithDigits, holder: object | undefined, key: string | number | undefined): boolean => {
    const digits = (holder && root[DIGITS]?.(holder, String(key))) ?? String(value);
    const difference = compareNumbers(digits, limit) * sign;
    return isInclusive ? difference >= 0 : difference > 0;
  };
}
