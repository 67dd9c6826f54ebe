import type { AjvInstance, CreateAjv } from './ajv.ts';
import { findCost, followReferences, type CheckCost, type ReferenceClosure } from './check-cost.ts';
import type { Contract } from '../operations/contract.ts';
import { replaceEqualityKeywords } from './equality.ts';
import { replaceFormats } from './formats.ts';
import { limitInt64s, replaceLimits } from './limits.ts';
import { LinkedSchemas } from './linked-schemas.ts';
import { collectMissingDefaults } from './missing-defaults.ts';
import { replaceMultipleOf } from './multiple-of.ts';
import { NotImplemented } from '../errors.ts';
import { replaceEvaluation } from './evaluated-parts.ts';
import { replaceObjectKeywords } from './object-keywords.ts';
import type { Operation } from '../operations/operation.ts';
import { ViolationFinder, type SchemaCheck } from './violation-finder.ts';

/** The compiled schemas of an operation. */
export type CompiledSchemas = {
  /** Validates the query, the headers, the path and the cookies. */
  readonly parameters: SchemaCheck;
  /** The checks of the body, by documented media type. */
  readonly requestBodies: Checks;
  readonly requestCheapBytes: number;
  readonly violations: ViolationFinder;
  /** The checks of the bodies (by documented media type) and the headers, by key of `responses`. */
  readonly responses: Readonly<Record<string, { readonly bodies: Checks; readonly headers: SchemaCheck | undefined }>>;
  readonly responseCheapBytes: number;
};
type Checks = ReadonlyMap<string, SchemaCheck>;

/** The state of the compilation for one direction. */
type CompilationContext = {
  readonly ajv: AjvInstance;
  readonly linked: LinkedSchemas;
  /** The costs of the added components, by reference. */
  readonly costs: Map<string, CheckCost>;
};

/** The maximum number of members of a schema, for messages. */
export const MAX_MEMBERS = '2,000';

/** Compiles the schemas of a contract's operations. Shared schemas are compiled once. */
export class SchemaCompiler {
  readonly #schemas: Contract['schemas'];
  readonly #requests: CompilationContext;
  readonly #responses: CompilationContext;
  readonly #violations: ViolationFinder;

  constructor(schemas: Contract['schemas'], createAjv: CreateAjv) {
    this.#schemas = schemas;
    this.#requests = createContext('request', createAjv);
    this.#responses = createContext('response', createAjv);
    this.#violations = new ViolationFinder(this.#requests.ajv);
  }

  /**
   * Compiles the schemas of an operation. Yields after each step of a few milliseconds. Compilations of several
   * operations may be interleaved.
   *
   * @throws {NotImplemented} if a schema has too many members
   * @throws {Error} if a schema cannot be compiled, which does not occur in generated contracts
   */
  *compile(operation: Operation): Generator<void, CompiledSchemas> {
    try {
      return yield* this.#compile(operation);
    } catch (error) {
      // Ajv nests the code for the groups of a large schema, which may overflow the stack.
      if (error instanceof RangeError)
        throw new NotImplemented(`the validation of a schema with more than ${MAX_MEMBERS} members`);
      throw error;
    }
  }

  *#compile(operation: Operation): Generator<void, CompiledSchemas> {
    const { responses, ...request } = structuredClone(operation.schemas); // Splitting modifies the schemas.
    const ofRequest = yield* this.#addComponents(this.#requests, [
      request.parameters,
      ...Object.values(request.bodies),
    ]);
    const ofResponses = yield* this.#addComponents(
      this.#responses,
      Object.values(responses).flatMap(({ bodies, headers }) => [...Object.values(bodies), headers]),
    );
    yield* this.#requests.linked.compile(ofRequest.references);
    yield* this.#responses.linked.compile(ofResponses.references);

    const parameters = yield* compileCheck(this.#requests, request.parameters);
    const requestBodies = yield* compileBodies(this.#requests, 'body', request.bodies);
    const compiled: Record<string, CompiledSchemas['responses'][string]> = {};
    for (const [status, { bodies, headers }] of Object.entries(responses)) {
      compiled[status] = {
        bodies: yield* compileBodies(this.#responses, 'response', bodies),
        headers: headers && (yield* compileCheck(this.#responses, wrap('response', headers))),
      };
    }
    return {
      parameters,
      requestBodies,
      requestCheapBytes: ofRequest.cheapBytes,
      violations: this.#violations,
      responses: compiled,
      responseCheapBytes: ofResponses.cheapBytes,
    };
  }

  /** Adds the components that schemas of an operation refer to. */
  *#addComponents(
    { linked, costs }: CompilationContext,
    schemas: readonly unknown[],
  ): Generator<void, ReferenceClosure> {
    const cost = findCost(...schemas);
    const references = new Set(cost.references);
    // The loop also visits references that are added meanwhile.
    for (const reference of references) {
      const added = costs.get(reference) ?? this.#addComponent(linked, reference);
      costs.set(reference, added);
      for (const next of added.references) references.add(next);
      yield;
    }
    return followReferences(cost, (reference) => costs.get(reference) as CheckCost); // Just added.
  }

  #addComponent(linked: LinkedSchemas, reference: string): CheckCost {
    if (!Object.hasOwn(this.#schemas, reference)) throw new Error(`can't resolve reference ${reference}`);
    const schema = this.#schemas[reference];
    linked.add(reference, structuredClone(schema)); // `add` modifies it.
    return findCost(schema);
  }
}

function createContext(direction: 'request' | 'response', createAjv: CreateAjv): CompilationContext {
  const ajv = createAjv(direction);
  replaceEqualityKeywords(ajv);
  replaceLimits(ajv);
  replaceMultipleOf(ajv);
  replaceObjectKeywords(ajv);
  replaceEvaluation(ajv);
  replaceFormats(ajv);
  if (direction === 'request') collectMissingDefaults(ajv);
  else limitInt64s(ajv); // The int64s of requests are checked when they become bigints.
  return { ajv, linked: new LinkedSchemas(ajv), costs: new Map() };
}

function* compileBodies(
  context: CompilationContext,
  name: string,
  schemas: Readonly<Record<string, unknown>>,
): Generator<void, Checks> {
  const checks = new Map<string, SchemaCheck>();
  for (const [mediaType, schema] of Object.entries(schemas))
    checks.set(mediaType, yield* compileCheck(context, wrap(name, schema)));
  return checks;
}

/** Compiles the large parts of a schema, then the schema itself. */
function* compileCheck({ ajv, linked }: CompilationContext, schema: object): Generator<void, SchemaCheck> {
  yield* linked.compile([linked.addParts(schema)]);
  const check = ajv.compile(schema) as SchemaCheck;
  yield;
  return check;
}

/** Wraps a schema as the schema of a property, so that error paths begin with the name. */
function wrap(name: string, schema: unknown): object {
  return { properties: { [name]: schema } };
}
