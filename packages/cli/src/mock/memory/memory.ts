import type { Operation } from '@contract-first/contract';
import type { AnyReply } from '@contract-first/engine/tools';
import type { CompiledDocument } from '@contract-first/documents';
import { listOperations } from '../../check/operations.ts';
import { createValues, type Values } from '../../values/documented-values.ts';
import type { Respond } from '../responses.ts';
import { createIdentifiers } from './identifiers.ts';
import { create, patch, read, remove, replace } from './items.ts';
import { list } from './list.ts';
import { createModel } from './model.ts';
import { missingParent, pathOf } from './paths.ts';
import { createFail, idempotencyKeyOf, type MockRequest } from './reply.ts';
import { findResources, rolesOf, type Role } from './resources.ts';
import type { Handle, Scope } from './scope.ts';
import { storeExamples } from './seeds.ts';
import { Store } from './store.ts';
import { describeMemory } from './summary.ts';

const HANDLES: Readonly<Record<Role, Handle>> = { create, list, read, replace, patch, remove };

/** The memory of a mock. */
export type Memory = {
  /** Returns the handler of an operation; `undefined` where it is not about a known resource. */
  readonly handle: (operation: Operation, respond: Respond) => ((request: MockRequest) => AnyReply) | undefined;
  /** Lines about the resources that are remembered, and about the others. */
  readonly summary: readonly string[];
};

/**
 * Creates the memory of a mock for a document, with its examples.
 *
 * @param limit the number of resources that are kept
 */
export function createMemory({ document }: CompiledDocument, responses: Values, seed: number, limit: number): Memory {
  const requests = createValues(document, seed, 'request');
  const operations = listOperations(requests.schemas, responses.schemas, '/');
  const found = findResources(operations, { requestSchemas: requests.schemas, responseSchemas: responses.schemas });
  const { resources } = found;
  const [store, model] = [new Store(limit), createModel(requests, responses)];
  const identifiers = createIdentifiers(requests, responses, seed);
  storeExamples(resources, store, model, identifiers);
  const roles = new Map(
    resources.flatMap((resource) =>
      rolesOf(resource.item).map(
        ([role, operation]) => [operation.operationId, { role, operation, resource }] as const,
      ),
    ),
  );
  const replies = new Map<string, AnyReply>();
  return { handle, summary: describeMemory(found) };

  function handle(documented: Operation, respond: Respond): ReturnType<Memory['handle']> {
    const known = roles.get(documented.operationId);
    if (known === undefined) return undefined;
    const { role, resource, operation } = known;
    const fail = createFail(responses, documented, respond);
    const scope: Scope = { resource, operation, documented, model, store, identifiers, respond, fail };
    return (request) => {
      const path = pathOf(operation.path, request);
      const missing = missingParent(operation.path, path, resources, store);
      const failure = missing === undefined ? undefined : fail(request, 404, `${missing} does not exist`);
      if (failure !== undefined) return failure;
      const key = role === 'create' ? idempotencyKeyOf(operation, request) : undefined;
      const place = `${path} ${key ?? ''}`;
      const reply =
        (key === undefined ? undefined : replies.get(place)) ?? HANDLES[role](scope, request) ?? respond(request);
      if (key !== undefined && reply.status < 300) remember(place, reply);
      return reply;
    };
  }

  function remember(place: string, reply: AnyReply): void {
    replies.set(place, reply);
    const [oldest] = replies.size > limit ? replies.keys() : [];
    if (oldest !== undefined) replies.delete(oldest);
  }
}
