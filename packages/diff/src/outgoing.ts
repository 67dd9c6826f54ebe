import type { OpenApiDocument } from '@contract-first/documents';
import { compareMediaTypes } from './bodies.ts';
import { finding, type Finding, type Scope } from './finding.ts';
import { compareHeaders } from './headers.ts';
import { child, children, elements, isSet, rootOf, textAt, type Node, type Pair } from './node.ts';
import { operationsIn } from './path-item.ts';

type Kind = 'webhook' | 'callback';

/**
 * Compares the requests that the service sends to its clients. Their bodies and parameters are compared as responses, and
 * the responses of the clients as requests.
 *
 * @param today the current date, `2026-12-31`
 */
export function compareWebhooks({ base, revision }: Pair<OpenApiDocument>, today: string): readonly Finding[] {
  const webhooks = (document: OpenApiDocument) => children(child(rootOf(document), 'webhooks'));
  return compareAll('webhook', { name: '', today }, { base: webhooks(base), revision: webhooks(revision) });
}

/** Compares the callbacks of an operation. */
export function compareCallbacks(scope: Scope, { base, revision }: Pair): readonly Finding[] {
  const callbacks = (node: Node): ReadonlyMap<string, Node> =>
    new Map(
      [...children(child(node, 'callbacks'))].flatMap(([name, callback]) =>
        [...children(callback)].map(([expression, item]) => [`${name} ${expression}`, item] as const),
      ),
    );
  return compareAll('callback', scope, { base: callbacks(base), revision: callbacks(revision) });
}

function compareAll(kind: Kind, scope: Scope, items: Pair<ReadonlyMap<string, Node>>): readonly Finding[] {
  const scopeOf = (name: string): Scope => ({ ...scope, name: `${kind} ${name}` });
  return matchAll(kind, scopeOf, items, (name, pair) => {
    const operations = { base: operationsIn(pair.base), revision: operationsIn(pair.revision) };
    const scopeOfMethod = (method: string): Scope => scopeOf(`${name} ${method.toUpperCase()}`);
    return matchAll(kind, scopeOfMethod, operations, (method, sent) => {
      const operation = scope.operation ?? `${method.toUpperCase()} ${name}`;
      return compareRequest({ ...scopeOf(name), operation }, sent);
    });
  });
}

/** Compares the members with the same name, and reports the others. */
function matchAll(
  kind: Kind,
  scopeOf: (name: string) => Scope,
  { base, revision }: Pair<ReadonlyMap<string, Node>>,
  compare: (name: string, pair: Pair) => readonly Finding[],
): readonly Finding[] {
  const ofBase = [...base].flatMap(([name, node]) => {
    const current = revision.get(name);
    if (current !== undefined) return compare(name, { base: node, revision: current });
    return [finding(scopeOf(name), `${kind}-removed`, 'ERR', node, 'was removed')];
  });
  const added = [...revision].filter(([name]) => !base.has(name));
  return [
    ...ofBase,
    ...added.map(([name, node]) => finding(scopeOf(name), `${kind}-added`, 'INFO', node, 'was added')),
  ];
}

function compareRequest(scope: Scope, { base, revision }: Pair): readonly Finding[] {
  const body = { ...scope, name: `${scope.name} body` };
  const bodies = { base: bodyOf(base), revision: bodyOf(revision) };
  const wasRequired = isSet(bodies.base, 'required');
  const requirement = wasRequired
    ? finding(body, 'webhook-body-became-optional', 'ERR', bodies.revision, 'is no longer always sent')
    : finding(body, 'webhook-body-became-required', 'INFO', bodies.revision, 'is always sent');
  return [
    ...compareHeaders(scope, { base: parametersOf(base), revision: parametersOf(revision) }),
    ...(wasRequired === isSet(bodies.revision, 'required') ? [] : [requirement]),
    ...compareMediaTypes({ ...body, subject: 'response-body' }, bodies),
    ...compareReplies(scope, {
      base: children(child(base, 'responses')),
      revision: children(child(revision, 'responses')),
    }),
  ];
}

/** Returns the body of a request; without one, a node without media types. */
function bodyOf(operation: Node): Node {
  return child(operation, 'requestBody') ?? { ...operation, value: {} };
}

function parametersOf(operation: Node): ReadonlyMap<string, Node> {
  const list = child(operation, 'parameters');
  const nodes = elements(list).flatMap((_element, index) => child(list, index) ?? []);
  return new Map(nodes.map((node) => [`${textAt(node, 'in') ?? ''} ${textAt(node, 'name') ?? ''}`, node]));
}

/** Compares the responses of the clients. */
function compareReplies(scope: Scope, { base, revision }: Pair<ReadonlyMap<string, Node>>): readonly Finding[] {
  return [...base].flatMap(([status, node]) => {
    const current = revision.get(status);
    const at = { ...scope, subject: 'request-body', name: `${scope.name} response ${status}` } as const;
    if (current === undefined) return [finding(at, 'webhook-response-status-removed', 'WARN', node, 'was removed')];
    return compareMediaTypes(at, { base: node, revision: current });
  });
}
