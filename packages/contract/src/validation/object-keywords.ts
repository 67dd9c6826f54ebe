import { _, type CodeKeywordDefinition, type KeywordCxt } from 'ajv';
import namesModule from 'ajv/dist/compile/names.js';
import type { Rule } from 'ajv/dist/compile/rules.js';
import { alwaysValidSchema, Type } from 'ajv/dist/compile/util.js';
import type { AjvInstance } from './ajv.ts';
import { compilePattern } from './pattern.ts';
import { defaultExport } from './default-export.ts';

const names = defaultExport(namesModule);

type Names = Readonly<Record<string, unknown>>;

/** The part of an Ajv instance with the code generators of its keywords. */
export type CodeRules = { readonly RULES: { readonly all: Readonly<Record<string, unknown>> } };

// V8's recursive parser would overflow its stack on the nested conditions that Ajv generates for many names.
export const MAX_CONDITIONS = 50;

/** Replaces the object keywords for which Ajv generates nested conditions, one for each name. */
export function replaceObjectKeywords(ajv: AjvInstance): void {
  replaceCode(ajv, 'additionalProperties', (context, code) => {
    const patterns = Object.keys(Object(context.parentSchema['patternProperties']) as Names);
    if (patterns.length <= MAX_CONDITIONS) code(context);
    else checkAdditional(context, patterns);
  });
  ajv.removeKeyword('dependentRequired');
  ajv.addKeyword({
    keyword: 'dependentRequired',
    type: 'object',
    before: 'dependentSchemas',
    errors: true,
    compile: createDependencyCheck,
  });
}

/** Replaces the code generator of a keyword. Keeps the order of the keywords. */
export function replaceCode(
  ajv: CodeRules,
  keyword: string,
  replacement: (context: KeywordCxt, code: CodeKeywordDefinition['code']) => void,
): void {
  const { definition } = ajv.RULES.all[keyword] as Rule; // Applicator keywords are rules with code.
  const { code } = definition as CodeKeywordDefinition;
  Object.assign(definition, {
    code: (context: KeywordCxt) => {
      replacement(context, code);
    },
  });
}

function checkAdditional(context: KeywordCxt, patterns: readonly string[]): void {
  const { gen, data, keyword, parentSchema, errsCount, it } = context;
  const schema = context.schema as boolean | object; // By `schemaType`.
  it.props = true;
  if (alwaysValidSchema(it, schema)) return;
  const properties = Object(parentSchema['properties']) as object;
  const expressions = patterns.map((pattern) => compilePattern(pattern));
  const isListed = (name: string): boolean =>
    Object.hasOwn(properties, name) || expressions.some((expression) => expression.test(name));
  const test = gen.scopeValue('keyword', { ref: isListed });
  const valid = gen.name('valid');
  gen.forIn('key', data, (key) =>
    gen.if(_`!${test}(${key})`, () => {
      if (schema === false) {
        context.setParams({ additionalProperty: key });
        context.error();
        gen.break();
      } else {
        context.subschema({ keyword, dataProp: key, dataPropType: Type.Str }, valid);
        gen.if(_`!${valid}`, () => gen.break());
      }
    }),
  );
  context.ok(_`${errsCount ?? 0} === ${names.errors}`);
}

function createDependencyCheck(schema: unknown) {
  const dependencies = Object.entries(schema as Readonly<Record<string, readonly string[]>>); // Already validated.
  const check: { (object: object): boolean; errors?: object[] } = (object) => {
    const has = (name: string): boolean => Object.hasOwn(object, name) && (object as Names)[name] !== undefined;
    for (const [property, names] of dependencies) {
      const missingProperty = has(property) ? names.find((name) => !has(name)) : undefined;
      if (missingProperty === undefined) continue;
      const deps = names.join(', ');
      const noun = names.length === 1 ? 'property' : 'properties';
      const message = `must have ${noun} ${deps} when property ${property} is present`;
      const params = { property, missingProperty, depsCount: names.length, deps };
      check.errors = [{ keyword: 'dependentRequired', message, params }];
      return false;
    }
    return true;
  };
  return check;
}
