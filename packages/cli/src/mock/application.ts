import { stringifyJson, type Operation } from '@contract-first/contract';
import type { Application } from '@contract-first/engine';
import type { AnyHandler, DocumentText } from '@contract-first/engine/tools';
import { optional, type CompiledDocument } from '@contract-first/documents';
import { createCheckers } from './credentials.ts';
import { createFailures } from './failures.ts';
import { hasPreferences, withPreferences } from './preferences.ts';
import type { MockState } from './memory/data.ts';
import { createMemory, type Memory, type MemoryOptions } from './memory/memory.ts';
import type { MockRequest } from './memory/reply.ts';
import { createRespond } from './responses.ts';
import { createValues, type Values } from '../values/documented-values.ts';
import { exampleRequest } from '../generate/example-request.ts';

/** The values of options that are not given. */
export const DEFAULTS = { seed: 1, limit: 10_000 };

/** The first value for a large schema takes long; meanwhile, other requests must not be refused. */
export const EVENT_LOOP_DELAY_LIMIT_MS = '60000';

type Options = {
  /** Decides which values are generated. */
  readonly seed: number;
  /** The options of the memory; without them, nothing is remembered. */
  readonly memory: Omit<MemoryOptions, 'seed'> | undefined;
  /** The environment variables that may configure credentials. */
  readonly env: Readonly<Record<string, string | undefined>>;
};

/**
 * Creates an application without code of its own for a document: handlers that remember resources and else respond with
 * examples and generated values, failures and checkers.
 *
 * @param document the text for the docs page, if there is to be one
 * @throws {CannotCheck} with all mistakes in the options of the memory
 */
export function createMock(
  compiled: CompiledDocument,
  document: DocumentText | undefined,
  options: Options & { readonly memory: object },
): { readonly application: Application; readonly memory: Memory };
export function createMock(
  compiled: CompiledDocument,
  document: DocumentText | undefined,
  options: Options,
): { readonly application: Application; readonly memory: Memory | undefined };
export function createMock(
  compiled: CompiledDocument,
  document: DocumentText | undefined,
  { seed, memory: options, env }: Options,
) {
  const values = createValues(compiled.document, seed, 'response');
  const contract = { ...withPreferences(compiled.contract), ...optional('example', exampleRequest(compiled)) };
  const memory = options && createMemory(compiled, values, { ...options, seed });
  const handlers = Object.values(contract.operations).map((operation): [string, AnyHandler] => [
    operation.operationId,
    createHandler(operation, values, memory),
  ]);
  const done = () => Promise.resolve();
  const application: Application = {
    contract,
    ...optional('document', document),
    ...optional('state', memory && (() => describeState(memory.state()))),
    failures: createFailures(compiled, values),
    open: () => {
      const checkers = createCheckers(contract.securitySchemes, env);
      return Promise.resolve({
        handlers: Object.fromEntries(handlers),
        checkers,
        check: done,
        close: memory?.close ?? done,
      });
    },
  };
  return { application, memory };
}

/** Creates the handler of an operation. The response that a client asks for does not depend on the memory. */
function createHandler(operation: Operation, values: Values, memory: Memory | undefined): AnyHandler {
  const respond = createRespond(values, operation);
  const handle = memory?.handle(operation, respond) ?? respond;
  return (request: MockRequest) => Promise.resolve(hasPreferences(request) ? respond(request) : handle(request));
}

/** Returns the stored resources as JSON by their path. */
function describeState(state: MockState): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(state).map(([path, resources]) => [path, stringifyJson(resources, 2)]));
}
