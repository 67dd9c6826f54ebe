import type { Operation } from '@contract-first/contract';
import type { Application } from '@contract-first/engine';
import type { AnyHandler, DocumentText } from '@contract-first/engine/tools';
import { optional, type CompiledDocument } from '@contract-first/documents';
import { createCheckers } from './credentials.ts';
import { createFailures } from './failures.ts';
import { hasPreferences, withPreferences } from './preferences.ts';
import { createMemory, type Memory, type MemoryOptions } from './memory/memory.ts';
import type { MockRequest } from './memory/reply.ts';
import { createRespond } from './responses.ts';
import { createValues, type Values } from '../values/documented-values.ts';
import { exampleRequest } from '../generate/example-request.ts';

/**
 * Creates an application without code of its own for a document: handlers that remember resources and else respond with
 * examples and generated values, failures and checkers.
 *
 * @param document the text for the docs page
 * @param seed decides which values are generated
 * @param memory the options of the memory; without them, nothing is remembered
 * @throws {CannotCheck} with all mistakes in these options
 */
export function createMock(
  compiled: CompiledDocument,
  document: DocumentText,
  { seed, memory: options }: { readonly seed: number; readonly memory: Omit<MemoryOptions, 'seed'> | undefined },
): { readonly application: Application; readonly summary: readonly string[] } {
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
    document,
    failures: createFailures(compiled, values),
    open: () => {
      const checkers = createCheckers(contract.securitySchemes, process.env);
      return Promise.resolve({
        handlers: Object.fromEntries(handlers),
        checkers,
        check: done,
        close: memory?.close ?? done,
      });
    },
  };
  return { application, summary: memory?.summary ?? [] };
}

/** Creates the handler of an operation. The response that a client asks for does not depend on the memory. */
function createHandler(operation: Operation, values: Values, memory: Memory | undefined): AnyHandler {
  const respond = createRespond(values, operation);
  const handle = memory?.handle(operation, respond) ?? respond;
  return (request: MockRequest) => Promise.resolve(hasPreferences(request) ? respond(request) : handle(request));
}
