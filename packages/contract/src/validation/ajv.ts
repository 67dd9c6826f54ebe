import { createRequestAjv, createResponseAjv } from 'express-openapi-validator/dist/framework/ajv/index.js';
import type { AjvInstance, OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import type { augmentAjvErrors } from 'express-openapi-validator/dist/middlewares/util.js';
import { compilePattern } from './pattern.ts';

/*
 * All that is used of express-openapi-validator, whose middleware would route every request again, await a promise at each
 * step, parse the parameters, which are already parsed here, and never validate 5xx bodies. Its Ajv instances have none of
 * these flaws. They are not part of the documented API, so package.json pins the version.
 */

export type { AjvInstance };

/** An error of Ajv. */
export type SchemaError = NonNullable<Parameters<typeof augmentAjvErrors>[0]>[number];

// Conformance to JSON Schema: `{}` has no property `constructor`; a list may be longer than its `prefixItems`; an unknown
// format allows every value (2020-12, 7.2.3). Meta-schemas are disabled, since the linter has checked the schemas: creating
// an instance takes a third of the time without them. Defaults must not take part in the validation.
const OPTIONS = {
  strict: false,
  strictNumbers: true,
  useDefaults: false,
  ownProperties: true,
  meta: false,
  logger: false as const,
  code: {
    optimize: false,
    regExp: Object.assign(compilePattern, { code: 'compilePattern' }),
    process: markAsEager,
  },
  ajvFormats: { mode: 'full' as const },
  formats: {},
};

/** The first version of OpenAPI whose schemas are JSON Schema. */
const VERSION = '3.1.0' as string;

/**
 * Creates an Ajv instance for requests or responses, with the keywords and the formats of express-openapi-validator. Its
 * schemas are JSON Schema 2020-12.
 */
export function createAjv(direction: 'request' | 'response'): AjvInstance {
  const create = direction === 'request' ? createRequestAjv : createResponseAjv;
  return create({ openapi: VERSION } as OpenAPIV3.DocumentV3, OPTIONS); // Without components, nothing else of it is read.
}

/**
 * Encloses the generated function in parentheses. So V8 compiles it with the schema, rather than while the first message
 * is validated, which has a time limit.
 */
function markAsEager(code: string): string {
  return `${code.replace('return function', 'return (function')})`;
}
