import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { integerOf, isInt64 } from '../../src/engine/contract/int64.ts';
import { parseJson, stringifyJson, type JsonTree } from '../../src/engine/contract/json.ts';
import type { Schema, SchemaDocument } from './dialect.ts';
import type { Json } from './json-value.ts';

/** Judges values by the schemas of one document. Integers are judged by their digits, not as doubles. */
export type Oracle = {
  /**
   * What is wrong with a JSON text; `undefined` when the schema, if there is one, allows it.
   *
   * @param seenInt64 is told where the int64s are that the schema speaks of
   */
  readonly complaint: (schema: Schema | undefined, json: JsonTree, seenInt64?: SeenInt64) => string | undefined;
  /** Whether a schema allows a value. */
  readonly allows: (schema: Schema | undefined, value: Json) => boolean;
};

/** An int64 of a JSON text, by the object or list that holds it. */
export type SeenInt64 = (holder: object, key: string) => void;

/** The document asks for something that cannot be checked; the message says what. */
export class CannotCheck extends Error {}

/** An oracle for the schemas of a document. */
export function createOracle({ id, document }: SchemaDocument): Oracle {
  // `{}` has no property `constructor`. strict is about style, which the linter of the contract judges; formats that nobody knows allow everything.
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    passContext: true,
    validateSchema: false,
    ownProperties: true,
  });
  ajvFormats.default(ajv);
  ajv.addKeyword({
    keyword: 'exactInteger',
    type: 'number',
    errors: false,
    validate: function (this: Judged, kind: string, data: number, _schema?: unknown, context?: DataContext): boolean {
      const sourceDigits = context && this.json.sourceDigits(context.parentData, String(context.parentDataProperty));
      if (context && kind === 'int64') this.seenInt64?.(context.parentData, String(context.parentDataProperty));
      const exact = integerOf(sourceDigits ?? String(data));
      return exact !== undefined && (kind !== 'int64' || isInt64(exact));
    },
  });
  ajv.addSchema(document, id);
  const compiled = new Map<Schema, ValidateFunction>();

  const complaint: Oracle['complaint'] = (schema, json, seenInt64) => {
    if (schema === undefined) return undefined;
    const validate = compile(schema);
    const { root } = json;
    // What Ajv passes on to nested parts, for the outermost one: the holder is where the digits are looked up.
    const outermost = {
      instancePath: '',
      parentData: root,
      parentDataProperty: '',
      rootData: root,
      dynamicAnchors: {},
    };
    if (validate.call({ json, seenInt64 } satisfies Judged, root[''], outermost)) return undefined;
    const { instancePath = '', message = 'is not allowed', keyword } = validate.errors?.[0] ?? {};
    return `body${instancePath} ${keyword === 'exactInteger' ? 'must be an integer in range' : message}`;
  };
  return {
    complaint,
    allows: (schema, value) => schema === undefined || complaint(schema, parseJson(stringifyJson(value))) === undefined,
  };

  function compile(schema: Schema): ValidateFunction {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    try {
      const validate = ajv.compile(schema);
      compiled.set(schema, validate);
      return validate;
    } catch (error) {
      throw new CannotCheck(`a schema cannot be compiled: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** What the keyword is given besides the value. */
type Judged = { readonly json: JsonTree; readonly seenInt64: SeenInt64 | undefined };
type DataContext = { readonly parentData: object; readonly parentDataProperty: string | number };
