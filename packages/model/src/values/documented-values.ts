import { hash } from 'node:crypto';
import {
  dereference,
  type Document,
  listOperations,
  type OpenApiDocument,
  resolveReference,
} from '@contract-first/documents';
import fc from 'fast-check';
import { createArbitraries } from './arbitrary.ts';
import { readSchemas, type JsonSchema, type JsonSchemaObject, type SchemaDocument } from './json-schema.ts';
import type { Json } from './json-value.ts';
import { type NamedExamples, readNamedExamples } from './named-examples.ts';
import { failureOr, NoValue, TooLarge } from './generation-failure.ts';
import { createOracle } from './oracle.ts';
import { withOrderedTimes } from './realistic-values.ts';
import { preparePattern } from './scalar-arbitraries.ts';
import { MAX_VALUE_SIZE, sizeOf } from './value-size.ts';

/** A media type object or a header with its schema and examples. */
export type Described = {
  readonly schema?: JsonSchema;
  readonly itemSchema?: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
};

/** A documented response with its schemas. */
export type ResponseNode = {
  readonly content?: Readonly<Record<string, Described>>;
  readonly headers?: Readonly<Record<string, unknown>>;
};

/** Options for generated values. */
export type Wanted = {
  /** Determines the generated value, together with the seed. */
  readonly key: string;
  /** Whether to generate values even if there are examples. */
  readonly dynamic: boolean;
  /** Whether to generate only visible characters. */
  readonly isText: boolean;
  /** Whether to generate the simplest values instead of random values. */
  readonly isSimple?: boolean;
  /** Whether objects have only required properties, if valid. */
  readonly isMinimal?: boolean;
  /** The number of items in a generated list; by default, the minimum of the schema, but at least one. */
  readonly listSize?: number | undefined;
  /** The maximum size of a generated value. */
  readonly maxSize?: number | undefined;
  /** Is called if no value can be generated because all values would be too large. */
  readonly onTooLarge?: ((failure: TooLarge) => void) | undefined;
};

/** The values of a document for one seed. */
export type Values = ReturnType<typeof createValues>;

// Several attempts, since optional properties may have no generatable value, examples may conflict with other values,
// and only unusual values may match exactly one alternative.
const ATTEMPTS = [
  { examples: true, minimal: false, plain: true },
  { examples: false, minimal: false, plain: true },
  { examples: true, minimal: true, plain: true },
  { examples: false, minimal: true, plain: true },
  { examples: false, minimal: false, plain: false },
];

// Small, since a client waits for the value and there are several attempts.
const GIVE_UP_AFTER = 500;

/** Creates a deterministic source of valid values for the requests or responses of a document. */
export function createValues(original: OpenApiDocument, seed: number, direction: 'request' | 'response') {
  const schemas = readSchemas(original, direction);
  const { document } = schemas;
  const oracle = createOracle(schemas);
  const arbitraries = createArbitraries(schemas, oracle);
  const operations = new Map(
    listOperations(document as Document).map(({ object }) => [object.operationId, object.responses]),
  );

  return {
    /** The document with its schemas for the direction. */
    document,
    schemas,
    oracle,
    allows: oracle.allows,
    /** Returns a documented response of an operation by its key in `responses`. */
    responseOf(operationId: string, key: string): ResponseNode {
      return dereference(document, operations.get(operationId)?.[key]) as ResponseNode; // Validated document.
    },
    /**
     * Prepares values: compiles the schema and the schemas that it refers to, and prepares the generators of patterns.
     * Yields after each.
     */
    *prepare(described: Described): Generator<void, void> {
      yield* oracle.compile(described.schema);
      for (const schema of patternsIn(schemas, described)) {
        preparePattern(schema, MAX_VALUE_SIZE);
        yield;
      }
    },
    /** Returns the values of the named examples. */
    examplesOf: ({ examples = {} }: Described): NamedExamples => readNamedExamples(document, examples),
    /**
     * Yields values: the examples beside and in a schema, then generated values.
     *
     * @returns valid values; none if no valid value can be generated
     */
    *valuesOf(
      described: Described,
      { key, dynamic, isText, isSimple = false, isMinimal = false, listSize, maxSize, onTooLarge }: Wanted,
    ): Generator<Json> {
      const { schema, example } = described;
      const minimalFirst = ATTEMPTS.toSorted((one, other) => Number(other.minimal) - Number(one.minimal));
      const attempts = (isMinimal ? minimalFirst : ATTEMPTS).filter(({ examples }) => !(dynamic && examples));
      if (!dynamic) {
        const documented = [example as Json | undefined, ...this.examplesOf(described).values()];
        for (const value of documented) if (value !== undefined && oracle.allows(schema, value)) yield value;
      }
      for (const attempt of attempts) {
        const options = {
          text: isText ? 'token' : 'well-formed',
          extras: !attempt.plain,
          realistic: attempt.plain && !isSimple,
          giveUpAfter: GIVE_UP_AFTER,
          listSize,
          maxSize,
        } as const;
        const create = (): fc.Arbitrary<Json> => arbitraries(schema, { ...options, ...attempt });
        const value = failureOr(() =>
          isSimple ? simplestOf(create) : sampleFor(`${String(seed)} ${key} ${JSON.stringify(attempt)}`, create),
        );
        if (value instanceof TooLarge) onTooLarge?.(value);
        if (value === undefined || value instanceof NoValue) continue;
        const ordered = withOrderedTimes(value);
        yield oracle.allows(schema, ordered) ? ordered : value;
      }
    },
  };
}

const CHOICES = ['example', 'examples', 'const', 'enum'];

/** Returns the schemas with a pattern in a schema and its references. Skips schemas with documented values. */
function patternsIn({ id, document }: SchemaDocument, described: Described): readonly JsonSchemaObject[] {
  const found: JsonSchemaObject[] = [];
  const nodes = new Set<object>([described]);
  // The loop also visits nodes that are added meanwhile.
  for (const node of nodes) {
    if (CHOICES.some((keyword) => Object.hasOwn(node, keyword))) continue;
    const { pattern, $ref: reference } = node as { readonly pattern?: unknown; readonly $ref?: unknown };
    if (typeof pattern === 'string') found.push(node as JsonSchemaObject); // Validated document.
    const isReference = typeof reference === 'string' && reference.startsWith(id);
    const target = isReference ? resolveReference(document, reference.slice(id.length)) : undefined;
    for (const member of [target, ...(Object.values(node) as readonly unknown[])])
      if (typeof member === 'object' && member !== null) nodes.add(member);
  }
  return found;
}

// The total size of the values that are tried, since a large value has many simpler values.
const MAX_TRIED_SIZE = 100_000;

/** Returns the value of an arbitrary for a text, deterministically. @throws {NoValue} if there is none */
function sampleFor<Value>(text: string, create: () => fc.Arbitrary<Value>): Value | undefined {
  const seed = Number.parseInt(hash('sha256', text).slice(0, 7), 16);
  return fc.sample(create(), { seed, numRuns: 1 })[0];
}

/**
 * Returns the simplest value of an arbitrary by shrinking.
 *
 * @throws {NoValue} if there is none
 */
function simplestOf(create: () => fc.Arbitrary<Json>): Json | undefined {
  let simplest: Json | undefined;
  let triedSize = 0;
  const arbitrary = create().map((value) => {
    triedSize += sizeOf(value);
    if (simplest !== undefined && triedSize > MAX_TRIED_SIZE) throw new NoValue('there are too many simpler values');
    return value;
  });
  const isRejected = fc.property<[Json]>(arbitrary, (value) => {
    simplest = value;
    return false;
  });
  try {
    fc.check(isRejected, { seed: 1, numRuns: 1 });
  } catch (error) {
    // Simpler values may be too rare or too many; the simplest one so far is kept.
    if (!(error instanceof NoValue) || simplest === undefined) throw error;
  }
  return simplest;
}
