import { _, Name, type Ajv2020, type KeywordCxt } from 'ajv/dist/2020.js';

/**
 * Replaces `oneOf`, for which Ajv nests the code of each alternative in the code of the previous one: a thousand
 * alternatives overflow the stack. Here, the alternatives follow each other.
 */
export function flattenOneOf(ajv: Pick<Ajv2020, 'removeKeyword' | 'addKeyword'>): void {
  ajv.removeKeyword('oneOf');
  ajv.addKeyword({
    keyword: 'oneOf',
    schemaType: 'array',
    trackErrors: true,
    error: { message: 'must match exactly one schema in oneOf' },
    code: countMatches,
  });
}

function countMatches(context: KeywordCxt): void {
  const { gen, keyword } = context;
  const alternatives: readonly unknown[] = context.schema as readonly unknown[]; // By `schemaType`.
  const count = gen.let('count', 0);
  const isMatch = gen.name('_valid');
  for (const schemaProp of alternatives.keys())
    gen.if(_`${count} < 2`, () => {
      const alternative = context.subschema({ keyword, schemaProp, compositeRule: true }, isMatch);
      gen.if(isMatch, () => {
        gen.assign(count, _`${count} + 1`);
        context.mergeEvaluated(alternative, Name);
      });
    });
  context.result(
    _`${count} === 1`,
    () => {
      context.reset();
    },
    () => {
      context.error(true);
    },
  );
}
