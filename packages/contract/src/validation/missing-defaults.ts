import { _ } from 'ajv';
import namesModule from 'ajv/dist/compile/names.js';
import propertiesModule from 'ajv/dist/vocabularies/applicator/properties.js';
import { allSchemaProperties, noPropertyInData } from 'ajv/dist/vocabularies/code.js';
import type { AjvInstance } from './ajv.ts';
import { exactValue } from './exact-values.ts';
import { defaultExport } from './default-export.ts';

const names = defaultExport(namesModule);
const properties = defaultExport(propertiesModule);

/**
 * The key of the list in which a validation collects missing defaults. Without this list in the root value, none are
 * collected.
 */
export const MISSING_DEFAULTS = Symbol('missing defaults');

/** A root value that collects its missing defaults. */
type Collecting = { readonly [MISSING_DEFAULTS]?: MissingDefault[] };
type MissingDefault = readonly [holder: Record<string, unknown>, name: string, value: unknown];

/**
 * Makes an Ajv instance collect missing defaults. Ajv itself inserts defaults during validation, where other keywords,
 * such as `additionalProperties` and `maxProperties`, could reject them.
 */
export function collectMissingDefaults(ajv: AjvInstance): void {
  ajv.removeKeyword('properties');
  ajv.addKeyword({
    ...properties,
    before: 'patternProperties',
    code: (context) => {
      properties.code(context);
      const { gen, data, it } = context;
      const schema = context.schema as Readonly<Record<string, object | boolean>>; // By `schemaType`.
      const collect = gen.scopeValue('keyword', { ref: addMissing });
      for (const name of allSchemaProperties(schema)) {
        const value = exactValue(Object(schema[name]) as object, 'default');
        if (value === undefined) continue;
        const copy = gen.scopeValue('func', { ref: () => structuredClone(value) });
        gen.if(noPropertyInData(gen, data, name, it.opts.ownProperties), () => {
          gen.code(_`${collect}(${names.rootData}, ${data}, ${name}, ${copy}())`);
        });
      }
    },
  });
}

/** Inserts the collected defaults into a valid value. */
export function insertMissingDefaults({ [MISSING_DEFAULTS]: missing = [] }: Collecting): void {
  // The first default wins: several schemas may have a default for a property, and a validation may be repeated.
  for (const [holder, name, value] of missing) if (!Object.hasOwn(holder, name)) holder[name] = value;
}

function addMissing(root: Collecting, ...missing: MissingDefault): void {
  root[MISSING_DEFAULTS]?.push(missing);
}
