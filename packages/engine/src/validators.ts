import { compilePattern, Validators, type Contract, type CreateAjv } from '@contract-first/contract';
import { createRequestAjv, createResponseAjv } from 'express-openapi-validator/dist/framework/ajv/index.js';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';

/*
 * The only used part of express-openapi-validator: its Ajv instances. Its middleware would route every request a second
 * time, await a promise at each step, parse the parameters again, and skip the validation of 5xx bodies. The Ajv
 * instances are not part of the documented API, so package.json pins the version.
 */

// For conformance to JSON Schema: `{}` has no property `constructor`, a list may be longer than its `prefixItems`, and
// unknown formats accept every value (2020-12, 7.2.3). Meta-schemas are disabled, since the schemas are already
// validated: without them, creating an instance takes a third of the time. Defaults must not affect the validation.
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
  },
  ajvFormats: { mode: 'full' as const },
  formats: {},
};

/** The first OpenAPI version with JSON Schema. */
const VERSION = '3.1.0' as string;

/** Creates the validators of a contract's operations, with the keywords and formats of express-openapi-validator. */
export function createValidators(contract: Pick<Contract, 'schemas'>): Validators {
  return new Validators(contract, ajvWith({ ...OPTIONS.code, process: markAsEager }));
}

/**
 * Creates validators that find schemas which cannot be compiled. They validate nothing, so V8 only parses their code, and
 * the code does not record which properties are evaluated.
 */
export function createTrialValidators(contract: Pick<Contract, 'schemas'>): Validators {
  const createAjv = ajvWith(OPTIONS.code);
  return new Validators(contract, (direction) => {
    const ajv = createAjv(direction);
    ajv.opts.unevaluated = false;
    return ajv;
  });
}

/** Returns a function that creates Ajv instances for JSON Schema 2020-12. */
function ajvWith(code: typeof OPTIONS.code & { readonly process?: (text: string) => string }): CreateAjv {
  return (direction) => {
    const create = direction === 'request' ? createRequestAjv : createResponseAjv;
    const options = { ...OPTIONS, code };
    return create({ openapi: VERSION } as OpenAPIV3.DocumentV3, options); // Only the version and components are read.
  };
}

/**
 * Encloses the generated function in parentheses, so that V8 compiles it eagerly. Otherwise the first validation, which
 * has a time limit, would include the compilation.
 */
function markAsEager(code: string): string {
  return `${code.replace('return function', 'return (function')})`;
}
