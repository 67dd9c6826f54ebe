import type { Application } from '@contract-first/engine';
import type { AnyHandler, DocumentText } from '@contract-first/engine/tools';
import { optional, type CompiledDocument } from '@contract-first/documents';
import { createCheckers } from './credentials.ts';
import { createFailures } from './failures.ts';
import { withPreferences } from './preferences.ts';
import { createMockHandler } from './responses.ts';
import { createValues } from '../values/documented-values.ts';
import { exampleRequest } from '../generate/example-request.ts';

/**
 * Creates an application without code of its own for a document: handlers that respond with examples and generated values,
 * failures and checkers.
 *
 * @param document the text for the docs page
 * @param seed decides which values are generated
 */
export function createMock(compiled: CompiledDocument, document: DocumentText, seed: number): Application {
  const values = createValues(compiled.document, seed, 'response');
  const contract = { ...withPreferences(compiled.contract), ...optional('example', exampleRequest(compiled)) };
  const handlers = Object.values(contract.operations).map((operation): [string, AnyHandler] => [
    operation.operationId,
    createMockHandler(values, operation),
  ]);
  const done = () => Promise.resolve();
  return {
    contract,
    document,
    failures: createFailures(compiled, values),
    open: () => {
      const checkers = createCheckers(contract.securitySchemes, process.env);
      return Promise.resolve({ handlers: Object.fromEntries(handlers), checkers, check: done, close: done });
    },
  };
}
