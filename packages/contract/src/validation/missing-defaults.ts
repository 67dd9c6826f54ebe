import { _ } from 'ajv';
import names from 'ajv/dist/compile/names.js';
import properties from 'ajv/dist/vocabularies/applicator/properties.js';
import { allSchemaProperties, noPropertyInData } from 'ajv/dist/vocabularies/code.js';
import type { AjvInstance } from './ajv.ts';
import { exactValue } from './exact-values.ts';

/** The key of the defaults that are missing in a value, which a check collects if it is there. */
export const MISSING_DEFAULTS = Symbol('missing defaults');

/** A value whose missing defaults are collected. */
type Collecting = { readonly [MISSING_DEFAULTS]?: MissingDefault[] };
type MissingDefault = readonly [holder: Record<string, unknown>, name: string, value: unknown];

/**
 * Makes the checks of an Ajv instance collect the defaults that are missing. Ajv would insert them during the check, where
 * other keywords, such as `additionalProperties` and `maxProperties`, would reject them.
 */
export function collectMissingDefaults(ajv: AjvInstance): void {
  ajv.removeKeyword('properties');
  ajv.addKeyword({
    ...properties.default,
    before: 'patternProperties',
    code: (context) => {
      properties.default.code(context);
      const { gen, data, it } = context;
      const schema = context.schema as Readonly<Record<string, object | boolean>>; // Its schemaType.
      const collect = gen.scopeValue('keyword', { ref: addMissing });
      for (const name of allSchemaProperties(schema)) {
        const value = exactValue(Object(schema[name]) as object, 'default');
        if (value === undefined) continue;
        const copy = gen.scopeValue('func', { ref: () => structuredClone(value) });
        gen.if(noPropertyInData(gen, data, name, it.opts.ownProperties), () => {
          gen.code(_`${collect}(${names.default.rootData}, ${data}, ${name}, ${copy}())`);
        });
      }
    },
  });
}

/** Inserts the defaults that were missing in a valid value. */
export function insertMissingDefaults({ [MISSING_DEFAULTS]: missing = [] }: Collecting): void {
  // Several schemas of an object may have a default for a property, and a check may be repeated.
  for (const [holder, name, value] of missing) if (!Object.hasOwn(holder, name)) holder[name] = value;
}

function addMissing(root: Collecting, ...missing: MissingDefault): void {
  root[MISSING_DEFAULTS]?.push(missing);
}
