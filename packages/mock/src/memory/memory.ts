import { stringifyJson, type Operation } from '@contract-first/contract';
import type { AnyReply } from '@contract-first/engine/tools';
import type { ApiOperation } from '@contract-first/model/operations';
import { readIfPresent } from '@contract-first/command-line/files';
import { assertCorrections, type Corrections } from '@contract-first/model/resources';
import { CannotCheck, type Values } from '@contract-first/model/values';
import type { Respond } from '../responses/respond.ts';
import { BoundedMap } from './bounded-map.ts';
import { createData, type MockState } from './data.ts';
import { openDataFile, type DataFile } from './data-file.ts';
import { IdempotencyKeys } from './idempotency-keys.ts';
import { createIdentifiers } from './identifiers.ts';
import { create, patch, read, remove, replace } from './items.ts';
import { list } from './list.ts';
import { createModel } from './model.ts';
import type { Cursors } from './page.ts';
import { findMissing, resourcesIn } from './paths.ts';
import { createFail, type Fail, type MockRequest } from './reply.ts';
import { findResources, rolesOf, type Resource, type Role } from './resources.ts';
import type { Handle, Scope } from './scope.ts';
import { storeExamples } from './seeds.ts';
import { Store } from './store.ts';
import { describeMemory } from './summary.ts';

const MAX_CURSORS = 1_000;
const HANDLES: Readonly<Record<Role, Handle>> = { create, list, read, replace, patch, remove };

/** The memory of a mock. */
export type Memory = {
  /** Returns the handler of an operation; `undefined` where it is not about a known resource. */
  readonly handle: (operation: Operation, respond: Respond) => ((request: MockRequest) => AnyReply) | undefined;
  /** Wraps the function that responds to an operation which is not remembered: it fails below a resource that does not exist. */
  readonly respondWithin: (operation: Operation, respond: Respond) => Respond;
  /** Lines about the resources that are remembered, and about the others. */
  readonly summary: readonly string[];
  /** Returns a copy of the resources. */
  readonly state: () => MockState;
  /** Returns the resources for the docs page. */
  readonly describe: () => Readonly<Record<string, string>>;
  /** Stores other resources in place of all. @throws an error with all problems of the state, one line each */
  readonly replaceState: (state: MockState) => void;
  /** Stores the examples of the document in place of all. */
  readonly reset: () => void;
  /** Writes the last changes to the file. */
  readonly close: () => Promise<void>;
};

/** The operations of a document and its values, by direction. */
export type DocumentValues = {
  readonly operations: readonly ApiOperation[];
  readonly requests: Values;
  readonly responses: Values;
};

/** The options of a memory. */
export type MemoryOptions = {
  /** Decides which values are generated. */
  readonly seed: number;
  /** The number of resources that are kept. */
  readonly limit: number;
  readonly corrections: Corrections;
  /** The path of the file that keeps the resources; without one, they are only kept in memory. */
  readonly dataPath?: string | undefined;
};

/**
 * Creates the memory of a mock for a document, with the resources of a file, or else with its examples.
 *
 * @throws {CannotCheck} with all mistakes in the corrections or in the file
 */
export function createMemory(
  { operations, requests, responses }: DocumentValues,
  { seed, limit, corrections, dataPath }: MemoryOptions,
): Memory {
  const schemas = { requestSchemas: requests.schemas, responseSchemas: responses.schemas };
  assertCorrections(operations, corrections, schemas);
  const found = findResources(operations, schemas, corrections);
  const { resources } = found;
  const model = createModel(requests, responses);
  const identifiers = createIdentifiers(requests, responses, seed);
  let file: DataFile | undefined;
  const store = new Store(limit, () => file?.noteChange());
  const data = createData(resources, store, { model, identifiers, limit });
  const text = dataPath === undefined ? undefined : readData(dataPath);
  const problems = text === undefined ? [] : data.load(text);
  if (problems.length > 0) throw new CannotCheck(problems.map((one) => `${String(dataPath)}: ${one}`).join('\n'));
  if (text === undefined) storeExamples(resources, store, model, identifiers);
  if (dataPath !== undefined) file = openDataFile(dataPath, data.write);
  if (text === undefined) file?.noteChange();
  const roles = new Map(
    resources.flatMap((resource) =>
      rolesOf(resource.item).map(
        ([role, operation]) => [operation.operationId, { role, operation, resource }] as const,
      ),
    ),
  );
  const keys = new IdempotencyKeys(limit);
  const cursors: Cursors = new BoundedMap(MAX_CURSORS);
  return {
    handle,
    respondWithin,
    summary: describeMemory(found, operations),
    state: data.read,
    describe: data.describe,
    replaceState,
    reset,
    close: () => file?.close() ?? Promise.resolve(),
  };

  function handle(documented: Operation, respond: Respond): ReturnType<Memory['handle']> {
    const known = roles.get(documented.operationId);
    if (known === undefined) return undefined;
    const { role, resource, operation } = known;
    const fail = createFail(responses, documented, respond);
    const outer = resourcesIn(operation.path, resources).filter((one) => one !== resource);
    const failWithout = createFailWithout(operation, outer, fail);
    const scope: Scope = { resource, operation, documented, model, store, identifiers, cursors, respond, fail };
    return (request) => {
      const failure = failWithout(request);
      if (failure !== undefined) return failure;
      const reply = (): AnyReply => HANDLES[role](scope, request) ?? respond(request);
      return role === 'create' ? keys.handleOnce(scope, request, reply) : reply();
    };
  }

  function respondWithin(documented: Operation, respond: Respond): Respond {
    const operation = operations.find(({ operationId }) => operationId === documented.operationId);
    if (operation === undefined || roles.has(operation.operationId)) return respond;
    const outer = resourcesIn(operation.path, resources);
    if (outer.length === 0) return respond;
    const failWithout = createFailWithout(operation, outer, createFail(responses, documented, respond));
    return (request, change) => (change === undefined ? failWithout(request) : undefined) ?? respond(request, change);
  }

  /** Creates a function that fails where one of some resources in the path of a request does not exist. */
  function createFailWithout({ path }: ApiOperation, outer: readonly Resource[], fail: Fail) {
    return (request: Parameters<Respond>[0]): AnyReply | undefined => {
      const missing = findMissing(path, request, outer, store);
      return missing === undefined ? undefined : fail(request, 404, `${missing} does not exist`);
    };
  }

  function replaceState(state: MockState): void {
    const found = data.load(stringifyJson(state));
    if (found.length > 0) throw new Error(found.join('\n'));
    keys.clear();
    cursors.clear();
    identifiers.restart();
  }

  function reset(): void {
    replaceState({});
    storeExamples(resources, store, model, identifiers);
  }
}

/** Returns the text of a file; `undefined` when it does not exist. @throws {CannotCheck} when it cannot be read */
function readData(path: string): string | undefined {
  try {
    return readIfPresent(path);
  } catch (error) {
    throw new CannotCheck(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
