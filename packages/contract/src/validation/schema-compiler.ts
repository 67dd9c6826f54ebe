import { createAjv, type AjvInstance } from './ajv.ts';
import { findCost, followReferences, type CheckCost, type ReferenceClosure } from './check-cost.ts';
import type { Contract } from '../operations/contract.ts';
import { replaceEqualityKeywords } from './equality.ts';
import { replaceFormats } from './formats.ts';
import { replaceLimits } from './limits.ts';
import { LinkedSchemas } from './linked-schemas.ts';
import { collectMissingDefaults } from './missing-defaults.ts';
import { replaceMultipleOf } from './multiple-of.ts';
import { NotImplemented } from '../errors.ts';
import { replaceObjectKeywords } from './object-keywords.ts';
import type { Operation } from '../operations/operation.ts';
import { ViolationFinder, type Check } from './violation-finder.ts';

/** The compiled schemas of an operation. */
export type CompiledSchemas = {
  /** The check of the query, the headers, the path and the cookies. */
  readonly parameters: Check;
  /** The checks of the body, by documented media type. */
  readonly requestBodies: Checks;
  readonly requestCheapBytes: number;
  readonly violations: ViolationFinder;
  /** The checks of the bodies by documented media type, and of the headers; by key of `responses`. */
  readonly responses: Readonly<Record<string, { readonly bodies: Checks; readonly headers: Check | undefined }>>;
  readonly responseCheapBytes: number;
};
type Checks = ReadonlyMap<string, Check>;

/** The compiler of one direction. */
type CompilationContext = {
  readonly ajv: AjvInstance;
  readonly linked: LinkedSchemas;
  /** The costs of the components that have been added, by reference. */
  readonly costs: Map<string, CheckCost>;
};

/** The number of members that a schema may have, in messages. */
export const MAX_MEMBERS = '2,000';

/** Compiles the schemas of a contract's operations. Shared schemas are compiled once. */
export class SchemaCompiler {
  readonly #schemas: Contract['schemas'];
  readonly #requests: CompilationContext;
  readonly #responses: CompilationContext;
  readonly #violations: ViolationFinder;

  constructor(schemas: Contract['schemas']) {
    this.#schemas = schemas;
    this.#requests = createContext('request');
    this.#responses = createContext('response');
    this.#violations = new ViolationFinder(this.#requests.ajv);
  }

  /**
   * Compiles the schemas of an operation. Yields after each step, which takes a few milliseconds. Several operations may
   * be compiled in turns.
   *
   * @throws {NotImplemented} when a schema has too many members
   * @throws {Error} when a schema cannot be compiled; the generator has ruled this out for its operations
   */
  *compile(operation: Operation): Generator<void, CompiledSchemas> {
    try {
      return yield* this.#compile(operation);
    } catch (error) {
      // Ajv nests the code for the groups of a large schema.
      if (error instanceof RangeError)
        throw new NotImplemented(`the validation of a schema with more than ${MAX_MEMBERS} members`);
      throw error;
    }
  }

  *#compile(operation: Operation): Generator<void, CompiledSchemas> {
    const { responses, ...request } = structuredClone(operation.schemas); // Its large parts are replaced.
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

  /** Adds the components that some schemas of an operation refer to. */
  *#addComponents(
    { linked, costs }: CompilationContext,
    schemas: readonly unknown[],
  ): Generator<void, ReferenceClosure> {
    const cost = findCost(...schemas);
    const references = new Set(cost.references);
    // The set grows in the loop.
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
    linked.add(reference, structuredClone(schema)); // It is modified.
    return findCost(schema);
  }
}

function createContext(direction: 'request' | 'response'): CompilationContext {
  const ajv = createAjv(direction);
  replaceEqualityKeywords(ajv);
  replaceLimits(ajv);
  replaceMultipleOf(ajv);
  replaceObjectKeywords(ajv);
  replaceFormats(ajv);
  if (direction === 'request') collectMissingDefaults(ajv);
  return { ajv, linked: new LinkedSchemas(ajv), costs: new Map() };
}

function* compileBodies(
  context: CompilationContext,
  name: string,
  schemas: Readonly<Record<string, unknown>>,
): Generator<void, Checks> {
  const checks = new Map<string, Check>();
  for (const [mediaType, schema] of Object.entries(schemas))
    checks.set(mediaType, yield* compileCheck(context, wrap(name, schema)));
  return checks;
}

/** Compiles a schema, after its large parts. */
function* compileCheck({ ajv, linked }: CompilationContext, schema: object): Generator<void, Check> {
  yield* linked.compile([linked.addParts(schema)]);
  const check = ajv.compile(schema) as Check;
  yield;
  return check;
}

/** Returns the schema of an object with a value as its member: errors begin with its name. */
function wrap(name: string, schema: unknown): object {
  return { properties: { [name]: schema } };
}
