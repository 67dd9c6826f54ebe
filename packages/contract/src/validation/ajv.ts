import type { Ajv, ErrorObject } from 'ajv';

/** An Ajv instance of any dialect of JSON Schema. */
export type AjvInstance = Pick<Ajv, keyof Ajv>;

/** A validation error of Ajv. */
export type SchemaError = ErrorObject;

/** Creates an Ajv instance for the schemas of requests or responses. The engine has an implementation. */
export type CreateAjv = (direction: 'request' | 'response') => AjvInstance;
