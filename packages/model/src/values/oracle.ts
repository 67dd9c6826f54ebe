import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { mapBigints, memoizeByObject, replaceEvaluation, runWithin, type JsonTree } from '@contract-first/contract';
import { CODE_OPTIONS, walkDocument } from '@contract-first/documents';
import { compareDecimals } from './decimals.ts';
import type { JsonSchema, SchemaDocument } from './json-schema.ts';
import { addEqualityKeywords } from './equality-keywords.ts';
import { flattenOneOf } from './flat-one-of.ts';
import { addExactFormats } from './formats.ts';
import { integerOf, isInt64 } from './integers.ts';
import { toJsonTree } from './json-tree.ts';
import type { Json } from './json-value.ts';
import { isMultipleOf } from './multiples.ts';
import { separateReferences } from './schema-links.ts';
import { digitsOf, type DataContext, type OnInt64, type ValidationContext } from './validation-context.ts';

/** Validates values with the schemas of one document. Compares integers by their digits, not as doubles. */
export type Oracle = {
  /** The document of these schemas. */
  readonly schemas: SchemaDocument;
  /**
   * Validates a JSON value; returns `undefined` if it is valid. A missing schema allows every value.
   *
   * @param onInt64 is called for each number that the schema declares as int64
   */
  readonly violation: (
    schema: JsonSchema | undefined,
    json: JsonTree,
    onInt64?: OnInt64,
  ) => SchemaViolation | undefined;
  /** Compiles a schema and the schemas that it refers to. Yields after each, usually after a millisecond. */
  readonly compile: (schema: JsonSchema | undefined) => Generator<void, void>;
  /** Returns whether a schema allows a value. */
  readonly allows: (schema: JsonSchema | undefined, value: Json) => boolean;
  /**
   * Returns whether a server may accept a value by inserting defaults for missing properties, or by accepting numbers
   * beyond the range of `float`.
   */
  readonly mayAllow: (schema: JsonSchema | undefined, value: Json) => boolean;
};

/** The first violation of a schema by a value. */
export type SchemaViolation = {
  /** The JSON pointer to the invalid part of the value. */
  readonly path: string;
  readonly keyword: string;
  /** The requirement: `must be string`. */
  readonly message: string;
};

const NOTHING = toJsonTree(null);
// Starting the thread of the time limit takes longer than validating this many values.
const SMALL_PARTS = 1_000;
const CHARACTERS_OF_A_PART = 100;
/** The maximum of IEEE 754 single precision. */
const MAX_FLOAT = (2 - 2 ** -23) * 2 ** 127;

/** The checks cannot run. The message contains the reason. */
export class CannotCheck extends Error {}

/**
 * Creates an oracle for the schemas of a document.
 *
 * @param timeLimitMs the time limit for validating a large value; exceeding it throws {@link TimeLimitExceeded}
 */
export function createOracle(schemas: SchemaDocument, timeLimitMs?: number): Oracle {
  const { validate, compile } = strictValidation(schemas);
  const strict: Oracle['violation'] = (schema, json, onInt64) => {
    if (schema === undefined || timeLimitMs === undefined || isSmall(json.root)) return validate(schema, json, onInt64);
    validate(schema, NOTHING); // Compiles the schema first, since compilation must not be interrupted.
    return runWithin(timeLimitMs, () => validate(schema, json, onInt64));
  };
  const lenient = isLenient(schemas) ? lenientValidation(schemas).validate : strict;
  const allowedBy = (violation: Oracle['violation'], schema: JsonSchema | undefined, value: Json): boolean =>
    schema === undefined || violation(schema, toJsonTree(value)) === undefined;
  return {
    schemas,
    violation: strict,
    compile,
    allows: (schema, value) => allowedBy(strict, schema, value),
    mayAllow: (schema, value) => allowedBy(lenient, schema, value),
  };
}

const strictValidation = memoizeByObject((schemas: SchemaDocument) => createValidation(schemas, false));
const lenientValidation = memoizeByObject((schemas: SchemaDocument) => createValidation(schemas, true));

/** Returns whether a document has a keyword that servers may interpret leniently. */
function isLenient({ document }: SchemaDocument): boolean {
  let isFound = false;
  walkDocument(document, ({ kind, node }) => {
    isFound ||= kind === 'schema' && (node['default'] !== undefined || node['format'] === 'float');
  });
  return isFound;
}

/** @param isLenient inserts defaults for missing properties, in place, and allows any number for `float` */
function createValidation(schemas: SchemaDocument, isLenient: boolean) {
  let checks = createChecks(schemas, isLenient, false);
  let isWide = false;
  return { validate, compile };

  function validate(schema: JsonSchema | undefined, json: JsonTree, onInt64?: OnInt64): SchemaViolation | undefined {
    if (schema === undefined) return undefined;
    try {
      return checks.validate(schema, json, onInt64);
    } catch (error) {
      widen(error);
      return checks.validate(schema, json, onInt64);
    }
  }

  function* compile(schema: JsonSchema | undefined): Generator<void, void> {
    if (schema === undefined) return;
    try {
      yield* checks.compile(schema);
    } catch (error) {
      widen(error);
      yield* checks.compile(schema);
    }
  }

  /** Ajv nests the code for thousands of members and overflows the stack, unless `allErrors` is set. */
  function widen(error: unknown): void {
    if (!(error instanceof RangeError) || isWide) throw error;
    isWide = true;
    checks = createChecks(schemas, isLenient, true);
  }
}

function createAjv(isLenient: boolean, allErrors: boolean): Ajv2020 {
  // Validated document. `ownProperties` ignores inherited members: `{}` has no property `constructor`.
  const ajv = new Ajv2020({
    strict: false,
    allErrors,
    useDefaults: isLenient,
    logger: false,
    passContext: true,
    validateSchema: false,
    ownProperties: true,
    code: CODE_OPTIONS,
  });
  ajvFormats.default(ajv);
  addExactFormats(ajv);
  if (!isLenient) ajv.addFormat('float', { type: 'number', validate: (value: number) => Math.abs(value) <= MAX_FLOAT });
  addEqualityKeywords(ajv);
  flattenOneOf(ajv);
  replaceEvaluation(ajv);
  for (const [keyword, { requirement, isValid }] of Object.entries(NUMBER_KEYWORDS)) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type: 'number',
      errors: false,
      error: { message: ({ schema }) => `must be ${requirement} ${String(schema)}` },
      validate: function (
        this: ValidationContext,
        limit: number | bigint,
        data: number,
        _schema?: unknown,
        context?: DataContext,
      ): boolean {
        return isValid(digitsOf(this, data, context?.parentData, context?.parentDataProperty), String(limit));
      },
    });
  }
  ajv.addKeyword({
    keyword: 'exactInteger',
    type: 'number',
    errors: false,
    validate: function (
      this: ValidationContext,
      kind: string,
      data: number,
      _schema?: unknown,
      context?: DataContext,
    ): boolean {
      if (context && kind === 'int64') this.onInt64?.(context.parentData, String(context.parentDataProperty));
      const exact = integerOf(digitsOf(this, data, context?.parentData, context?.parentDataProperty));
      return exact !== undefined && (kind !== 'int64' || isInt64(exact));
    },
  });
  ajv.addKeyword({
    keyword: 'absent',
    errors: false,
    error: { message: 'is write-only and must NOT be in a response' },
    validate: (_isAbsent: true, value: unknown) => value === null, // Servers may send null for a missing value.
  });
  ajv.addKeyword({
    keyword: 'absentMembers',
    type: 'object',
    macro: (names: readonly string[]) => ({
      properties: Object.fromEntries(names.map((name) => [name, { absent: true }])),
    }),
  });
  return ajv;
}

/** The numeric keywords, which compare the digits of the number and of the keyword's value. */
const NUMBER_KEYWORDS: Readonly<
  Record<string, { readonly requirement: string; readonly isValid: (digits: string, limit: string) => boolean }>
> = {
  minimum: { requirement: '>=', isValid: (digits, limit) => compareDecimals(digits, limit) >= 0 },
  maximum: { requirement: '<=', isValid: (digits, limit) => compareDecimals(digits, limit) <= 0 },
  exclusiveMinimum: { requirement: '>', isValid: (digits, limit) => compareDecimals(digits, limit) > 0 },
  exclusiveMaximum: { requirement: '<', isValid: (digits, limit) => compareDecimals(digits, limit) < 0 },
  multipleOf: { requirement: 'multiple of', isValid: isMultipleOf },
};

/** Creates functions that compile each schema once, and validate values. */
function createChecks({ id, document: original }: SchemaDocument, isLenient: boolean, allErrors: boolean) {
  const ajv = createAjv(isLenient, allErrors);
  const round = <Schema extends object | boolean>(schema: Schema): Schema =>
    isLenient ? (withRoundedDefaults(schema) as Schema) : schema;
  let document: typeof original | undefined;
  const compilePending = separateReferences(ajv, () => (document ??= round(original)), id);
  const compiled = new Map<JsonSchema, ValidateFunction>();
  return { validate, compile };

  function validate(schema: JsonSchema, json: JsonTree, onInt64?: OnInt64): SchemaViolation | undefined {
    const check = compiled.get(schema) ?? compileNow(schema);
    const { root } = json;
    // Ajv passes a context only for nested parts. The root also needs a context, since digits are found by their
    // holder.
    const rootContext = {
      instancePath: '',
      parentData: root,
      parentDataProperty: '',
      rootData: root,
      dynamicAnchors: {},
    };
    if (check.call({ json, onInt64 } satisfies ValidationContext, root[''], rootContext)) return undefined;
    const [error] = check.errors ?? [];
    const { instancePath: path = '', message = 'is not allowed', keyword = 'not' } = error ?? {};
    const isInteger = keyword === 'exactInteger';
    const { additionalProperty, unevaluatedProperty: unknown = additionalProperty } = Object(error?.params) as Params;
    const requirement = isInteger ? 'must be an integer in range' : message;
    return {
      path,
      keyword: isInteger ? 'type' : keyword,
      message: unknown === undefined ? requirement : `${requirement}: ${unknown}`,
    };
  }

  function compileNow(schema: JsonSchema): ValidateFunction {
    const steps = compile(schema);
    for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
  }

  function* compile(schema: JsonSchema): Generator<void, ValidateFunction> {
    try {
      const check = compiled.get(schema) ?? ajv.compile(round(schema));
      yield* compilePending();
      compiled.set(schema, check);
      return check;
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw new CannotCheck(`a schema cannot be compiled: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** The parameters of Ajv's errors about disallowed properties. */
type Params = { readonly additionalProperty?: string; readonly unevaluatedProperty?: string };

/** Copies a schema and converts bigints in its defaults, which Ajv inserts into values, to doubles. */
function withRoundedDefaults(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withRoundedDefaults);
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.entries(node).map(([name, member]: [string, unknown]) => [
    name,
    name === 'default' ? mapBigints(member, Number) : withRoundedDefaults(member),
  ]);
  return Object.fromEntries(members);
}

/** Returns whether a value has few parts and short texts. */
function isSmall(root: unknown): boolean {
  let rest = SMALL_PARTS;
  const visit = (part: unknown): boolean => {
    rest -= 1 + (typeof part === 'string' ? part.length / CHARACTERS_OF_A_PART : 0);
    return rest > 0 && (typeof part !== 'object' || part === null || Object.values(part).every(visit));
  };
  return visit(root);
}
