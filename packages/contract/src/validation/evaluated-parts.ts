import { _, Name, type AnySchema, type KeywordCxt } from 'ajv';
import { not } from 'ajv/dist/compile/codegen/index.js';
import type { SchemaEnv } from 'ajv/dist/compile/index.js';
import { alwaysValidSchema, setEvaluated, Type } from 'ajv/dist/compile/util.js';
import { callRef, getValidate } from 'ajv/dist/vocabularies/core/ref.js';
import { MAX_CONDITIONS, replaceCode, type CodeRules } from './object-keywords.ts';

type Names = Readonly<Record<string, unknown>>;

/**
 * Replaces the keywords for which Ajv does not determine the evaluated properties and items as JSON Schema 2020-12 does
 * (10.2.2.1, 10.3.1, 11.2). Ajv finds names inherited from `Object.prototype` among the evaluated names of
 * `unevaluatedProperties`, and nests a condition for each name.
 */
export function replaceEvaluation(ajv: CodeRules): void {
  replaceCode(ajv, 'if', checkCondition);
  // If no schema of these keywords matches, Ajv forgets the parts that were evaluated before.
  for (const keyword of ['anyOf', 'oneOf', 'if', 'dependentSchemas']) {
    replaceCode(ajv, keyword, (context, code) => {
      startEvaluatedNames(context);
      if (keyword !== 'dependentSchemas') startEvaluatedItems(context); // Its code is not reached for lists.
      code(context);
    });
  }
  replaceCode(ajv, 'prefixItems', checkPrefixItems);
  replaceCode(ajv, 'contains', checkContains);
  replaceCode(ajv, 'unevaluatedItems', checkUnevaluatedItems);
  replaceCode(ajv, 'patternProperties', (context, code) => {
    const { it } = context;
    const earlier = { ...it };
    if (it.props !== true) delete it.props; // Ajv would add names to a variable that may be `true`, for all names.
    startEvaluatedNames(context);
    code(context);
    context.mergeEvaluated(earlier);
  });
  replaceCode(ajv, 'unevaluatedProperties', (context, code) => {
    copyEvaluatedNames(context);
    code(context);
  });
}

/**
 * Generates the call of another schema, like Ajv's `$ref`. Copies the evaluated names, since Ajv would add the names of
 * this schema to the object that the other schema keeps.
 */
export function callSchema(context: KeywordCxt, target: SchemaEnv): void {
  const evaluated = target.validate?.evaluated;
  if (evaluated?.dynamicProps !== false) startEvaluatedNames(context);
  callRef(context, getValidate(context, target), target);
}

/** Creates a variable for the number of evaluated items. */
function startEvaluatedItems({ gen, it }: KeywordCxt): void {
  if (typeof it.items === 'number') it.items = gen.var('items', it.items);
}

/** Creates a variable for the evaluated names: an object without a prototype, since Ajv could not add `__proto__` to others. */
function startEvaluatedNames({ gen, data, it }: KeywordCxt): void {
  const { props } = it;
  if (it.opts.unevaluated !== true || props === true || props instanceof Name) return;
  const names = gen.var('props');
  gen.if(_`typeof ${data} == "object"`, () => {
    gen.assign(names, _`{ __proto__: null }`);
    setEvaluated(gen, names, props ?? {});
  });
  it.props = names;
}

function copyEvaluatedNames({ gen, it }: KeywordCxt): void {
  const { props } = it;
  if (props instanceof Name) {
    const copy = gen.scopeValue('keyword', { ref: withoutPrototype });
    it.props = gen.const('props', _`${copy}(${props})`);
  } else if (props !== undefined && props !== true && Object.keys(props).length > MAX_CONDITIONS) {
    it.props = gen.const('props', _`${gen.scopeValue('keyword', { ref: withoutPrototype(props) })}`);
  }
}

/** Copies the evaluated names to an object without a prototype. Returns `true`, for all names, unchanged. */
function withoutPrototype(evaluated: Names | true | undefined): Names | true | undefined {
  return typeof evaluated === 'object' ? { __proto__: null, ...evaluated } : evaluated;
}

/** Generates the checks of `if`, `then` and `else`. Parts that `if` evaluates count if it matches, also without `then`. */
function checkCondition(context: KeywordCxt): void {
  const { gen, parentSchema } = context;
  const isMatch = gen.name('_valid');
  const clause = gen.let('ifClause');
  const valid = gen.let('valid', true);
  context.setParams({ ifClause: clause });
  const options = { keyword: 'if', compositeRule: true, createErrors: false, allErrors: false } as const;
  const condition = context.subschema(options, isMatch);
  context.mergeValidEvaluated(condition, isMatch);
  context.reset();
  const check = (keyword: 'then' | 'else') => (): void => {
    if (parentSchema[keyword] === undefined) return;
    const isClauseValid = gen.name('_valid');
    const branch = context.subschema({ keyword }, isClauseValid);
    gen.assign(valid, isClauseValid);
    context.mergeValidEvaluated(branch, valid);
    gen.assign(clause, _`${keyword}`);
  };
  gen.if(isMatch, check('then'), check('else'));
  context.pass(valid, () => {
    context.error(true);
  });
}

/** Generates the checks of `prefixItems`. For an empty list, Ajv would skip the keywords after it, such as `contains`. */
function checkPrefixItems(context: KeywordCxt): void {
  const { gen, data, it, keyword } = context;
  const schemas = context.schema as readonly AnySchema[]; // By `schemaType`.
  const valid = gen.var('valid', true);
  schemas.forEach((schema, index) => {
    if (alwaysValidSchema(it, schema)) return;
    const part = { keyword, schemaProp: index, dataProp: index };
    gen.if(_`${data}.length > ${index}`, () => context.subschema(part, valid));
    context.ok(valid);
  });
  context.mergeEvaluated({ ...it, items: schemas.length });
}

/** Generates the check of `contains`. The indices of matching items are marked as the names of evaluated properties. */
function checkContains(context: KeywordCxt): void {
  const { gen, data, parentSchema } = context;
  const { minContains: min = 1, maxContains: max } = parentSchema as Readonly<Record<string, number | undefined>>;
  const count = gen.let('count', 0);
  const matching = gen.var('props', _`{}`); // Outlives the block for arrays.
  const isMatch = gen.name('_valid');
  context.setParams({ min, max });
  gen.forRange('i', 0, _`${data}.length`, (index) => {
    context.subschema({ keyword: 'contains', dataProp: index, dataPropType: Type.Num, compositeRule: true }, isMatch);
    gen.if(isMatch, () => gen.code(_`${count}++`).assign(_`${matching}[${index}]`, true));
  });
  context.mergeEvaluated({ ...context.it, props: matching }, Name);
  context.result(max === undefined ? _`${count} >= ${min}` : _`${count} >= ${min} && ${count} <= ${max}`, () => {
    context.reset();
  });
}

/** Generates the check of `unevaluatedItems`. */
function checkUnevaluatedItems(context: KeywordCxt): void {
  const { gen, data, it, keyword } = context;
  const { items = 0, props } = it;
  const isForbidden = context.schema === false;
  it.items = true;
  if (items === true) return;
  const length = gen.const('len', _`${data}.length`);
  const start = items instanceof Name ? gen.const('start', _`${items} === true ? ${length} : ${items} || 0`) : items;
  const valid = gen.var('valid', true);
  context.setParams({ len: start });
  gen.forRange('i', start, length, (index) => {
    const check = (): void => {
      if (isForbidden) gen.assign(valid, false);
      else context.subschema({ keyword, dataProp: index, dataPropType: Type.Num }, valid);
      if (isForbidden || it.allErrors !== true) gen.if(not(valid), () => gen.break());
    };
    if (props instanceof Name) gen.if(_`${props}?.[${index}] !== true`, check);
    else check();
  });
  if (isForbidden) context.pass(valid);
  else context.ok(valid);
}
