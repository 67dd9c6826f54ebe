import type { OpenApiDocument } from '@contract-first/documents';
import {
  child,
  children,
  elements,
  isTrue,
  type Node,
  operationsIn,
  type NodePair,
  rootOf,
  textAt,
} from '../nodes/node.ts';
import { compareOperationDeprecation, findEarlyRemoval, reportRemoval } from '../rules/deprecation.ts';
import { finding, type Finding, type FindingContext, sortFindings } from '../rules/finding.ts';
import { compareMediaTypes, compareRequestBodies } from './bodies.ts';
import { compareHeaders } from './headers.ts';
import { compareParameters, type OperationNode } from './parameters.ts';
import { compareResponses } from './responses.ts';
import { compareSecurity } from './security.ts';
import { addressesOf, compareServers, templateOf } from './servers.ts';

/**
 * Finds the differences between two documents that clients can notice, most severe first. Ignores changes of order,
 * descriptions, component names and the structure of equivalent schemas.
 *
 * @param today the current date, `2026-12-31`, for removals after a sunset
 */
export function compareDocuments(base: OpenApiDocument, revision: OpenApiDocument, today: string): readonly Finding[] {
  const before = operationsOf(base);
  const after = operationsOf(revision);
  const remaining = new Set([...after.values()].map(({ path }) => templateOf(path)));

  const scopeOf = (key: string, node: OperationNode): FindingContext => ({
    operation: nameOf(key, node),
    name: 'operation',
    today,
  });
  const readdressed = findReaddressed({ base: before, revision: after });
  const movedTo = findMoved({ base: before, revision: after });
  const ofBase = [...before].flatMap(([key, previous]) => {
    const current = after.get(readdressed.get(key) ?? key);
    if (current !== undefined)
      return compareOperation(scopeOf(readdressed.get(key) ?? key, current), { base: previous, revision: current });
    const wholePath = !remaining.has(templateOf(previous.path));
    const removal = reportRemoval(scopeOf(key, previous), previous.node, wholePath);
    const moved = movedTo.get(key);
    const operation = moved === undefined ? undefined : after.get(moved);
    if (moved === undefined || operation === undefined) return [removal];
    const nodes = { base: previous, revision: operation };
    const change = `${removal.change}; its operationId is now at ${nameOf(moved, operation)}`;
    return [{ ...removal, change }, ...compareOperation(scopeOf(moved, operation), nodes)];
  });
  const known = new Set(readdressed.values());
  const added = [...after].flatMap(([key, operation]) =>
    before.has(key) || known.has(key)
      ? []
      : [finding(scopeOf(key, operation), 'endpoint-added', 'INFO', operation.node, 'was added')],
  );
  return sortFindings([...ofBase, ...added, ...compareWebhooks({ base, revision }, today)]);
}

/** Finds operations with the same URL after a prefix moved between the path and the servers. */
function findReaddressed({
  base,
  revision,
}: NodePair<ReadonlyMap<string, OperationNode>>): ReadonlyMap<string, string> {
  const methodOf = (key: string): string => key.slice(0, key.indexOf(' '));
  const unmatched = [...revision].filter(([key]) => !base.has(key));
  const byAddress = new Map(
    unmatched.flatMap(([key, operation]) =>
      addressesOf(operation).map((address) => [`${methodOf(key)} ${address}`, key] as const),
    ),
  );
  const entries = [...base].flatMap(([key, operation]) => {
    if (revision.has(key)) return [];
    const found = addressesOf(operation).flatMap((address) => byAddress.get(`${methodOf(key)} ${address}`) ?? []);
    return found.slice(0, 1).map((other) => [key, other] as const);
  });
  return new Map(entries);
}

/** Finds operations with a changed method or path, by their operationId. */
function findMoved({ base, revision }: NodePair<ReadonlyMap<string, OperationNode>>): ReadonlyMap<string, string> {
  const unmatched = [...revision].filter(([key]) => !base.has(key));
  const byId = new Map(unmatched.map(([key, { node }]) => [textAt(node, 'operationId'), key]));
  const entries = [...base].flatMap(([key, { node }]) => {
    const id = textAt(node, 'operationId');
    const moved = revision.has(key) || id === undefined ? undefined : byId.get(id);
    return moved === undefined ? [] : [[key, moved] as const];
  });
  return new Map(entries);
}

function compareOperation(scope: FindingContext, { base, revision }: NodePair<OperationNode>): readonly Finding[] {
  const nodes = { base: base.node, revision: revision.node };
  const part = (name: string) => ({ base: child(nodes.base, name), revision: child(nodes.revision, name) });
  return [
    ...compareOperationDeprecation(scope, nodes),
    ...compareOperationId(scope, nodes),
    ...compareServers({ base, revision }),
    ...compareSecurity(scope, nodes),
    ...compareParameters(scope, { base, revision }),
    ...compareRequestBodies(scope, part('requestBody')),
    ...compareResponses(scope, part('responses')),
    ...compareCallbacks(scope, nodes),
  ];
}

function compareOperationId(scope: FindingContext, { base, revision }: NodePair): readonly Finding[] {
  const [before, after] = [textAt(base, 'operationId'), textAt(revision, 'operationId')];
  if (before === after) return [];
  const rule = before === undefined ? 'api-operation-id-added' : 'api-operation-id-removed';
  return [finding(scope, rule, 'INFO', revision, `operationId ${before ?? '(none)'} became ${after ?? '(none)'}`)];
}

/** Returns the operations by method and path template without parameter names. */
function operationsOf(document: OpenApiDocument): ReadonlyMap<string, OperationNode> {
  const entries = [...children(child(rootOf(document), 'paths'))].flatMap(([path, item]) => {
    const operations = [...operationsIn(item)];
    return operations.map(([method, node]) => [`${method} ${templateOf(path)}`, { path, item, node }] as const);
  });
  return new Map(entries);
}

/** Returns the name of an operation in findings: `POST /pets`. */
function nameOf(key: string, { path }: OperationNode): string {
  return `${key.slice(0, key.indexOf(' ')).toUpperCase()} ${path}`;
}

type Kind = 'webhook' | 'callback';

/**
 * Compares webhooks, which the service sends to clients: compares their bodies and parameters like responses, and the
 * responses of the clients like requests.
 *
 * @param today the current date, `2026-12-31`
 */
function compareWebhooks({ base, revision }: NodePair<OpenApiDocument>, today: string): readonly Finding[] {
  const webhooks = (document: OpenApiDocument) => children(child(rootOf(document), 'webhooks'));
  return compareAll('webhook', { name: '', today }, { base: webhooks(base), revision: webhooks(revision) });
}

/** Compares the callbacks of an operation. */
function compareCallbacks(scope: FindingContext, { base, revision }: NodePair): readonly Finding[] {
  const callbacks = (node: Node): ReadonlyMap<string, Node> =>
    new Map(
      [...children(child(node, 'callbacks'))].flatMap(([name, callback]) =>
        [...children(callback)].map(([expression, item]) => [`${name} ${expression}`, item] as const),
      ),
    );
  return compareAll('callback', scope, { base: callbacks(base), revision: callbacks(revision) });
}

function compareAll(kind: Kind, scope: FindingContext, items: NodePair<ReadonlyMap<string, Node>>): readonly Finding[] {
  const scopeOf = (name: string): FindingContext => ({ ...scope, name: `${kind} ${name}` });
  return matchAll(kind, scopeOf, items, (name, pair) => {
    const operations = { base: operationsIn(pair.base), revision: operationsIn(pair.revision) };
    const scopeOfMethod = (method: string): FindingContext => scopeOf(`${name} ${method.toUpperCase()}`);
    return matchAll(kind, scopeOfMethod, operations, (method, sent) => {
      const operation = scope.operation ?? `${method.toUpperCase()} ${name}`;
      return compareRequest({ ...scopeOf(name), operation }, sent);
    });
  });
}

/** Compares the members with the same name, and reports added and removed members. */
function matchAll(
  kind: Kind,
  scopeOf: (name: string) => FindingContext,
  { base, revision }: NodePair<ReadonlyMap<string, Node>>,
  compare: (name: string, pair: NodePair) => readonly Finding[],
): readonly Finding[] {
  const ofBase = [...base].flatMap(([name, node]) => {
    const current = revision.get(name);
    if (current !== undefined) return compare(name, { base: node, revision: current });
    const scope = scopeOf(name);
    const isExpected = mayBeRemoved(node, scope.today);
    const change = isExpected ? 'was removed after deprecation' : 'was removed';
    return [finding(scope, `${kind}-removed`, isExpected ? 'INFO' : 'ERR', node, change)];
  });
  const added = [...revision].filter(([name]) => !base.has(name));
  return [
    ...ofBase,
    ...added.map(([name, node]) => finding(scopeOf(name), `${kind}-added`, 'INFO', node, 'was added')),
  ];
}

/** Returns whether an operation, or each operation of a path item, was deprecated, and its sunset passed. */
function mayBeRemoved(node: Node, today: string): boolean {
  const operations = [...operationsIn(node).values()];
  return (operations.length > 0 ? operations : [node]).every(
    (operation) => isTrue(operation, 'deprecated') && findEarlyRemoval(operation, today) === undefined,
  );
}

function compareRequest(scope: FindingContext, { base, revision }: NodePair): readonly Finding[] {
  const body = { ...scope, name: `${scope.name} body` };
  const bodies = { base: bodyOf(base), revision: bodyOf(revision) };
  const wasRequired = isTrue(bodies.base, 'required');
  const requirement = wasRequired
    ? finding(body, 'webhook-body-became-optional', 'ERR', bodies.revision, 'is no longer always sent')
    : finding(body, 'webhook-body-became-required', 'INFO', bodies.revision, 'is always sent');
  return [
    ...compareOperationDeprecation(scope, { base, revision }),
    ...compareHeaders(scope, { base: parametersOf(base), revision: parametersOf(revision) }),
    ...(wasRequired === isTrue(bodies.revision, 'required') ? [] : [requirement]),
    ...compareMediaTypes({ ...body, subject: 'response-body' }, bodies),
    ...compareReplies(scope, {
      base: children(child(base, 'responses')),
      revision: children(child(revision, 'responses')),
    }),
  ];
}

/** Returns the request body of an operation, or a node without media types. */
function bodyOf(operation: Node): Node {
  return child(operation, 'requestBody') ?? { ...operation, value: {} };
}

function parametersOf(operation: Node): ReadonlyMap<string, Node> {
  const list = child(operation, 'parameters');
  const nodes = elements(list).flatMap((_element, index) => child(list, index) ?? []);
  return new Map(nodes.map((node) => [`${textAt(node, 'in') ?? ''} ${textAt(node, 'name') ?? ''}`, node]));
}

/** Compares the clients' responses to a webhook or callback. */
function compareReplies(
  scope: FindingContext,
  { base, revision }: NodePair<ReadonlyMap<string, Node>>,
): readonly Finding[] {
  return [...base].flatMap(([status, node]) => {
    const current = revision.get(status);
    const at = { ...scope, subject: 'request-body', name: `${scope.name} response ${status}` } as const;
    if (current === undefined) return [finding(at, 'webhook-response-status-removed', 'WARN', node, 'was removed')];
    return compareMediaTypes(at, { base: node, revision: current });
  });
}
