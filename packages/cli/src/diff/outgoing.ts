import type { OpenApiDocument } from '@contract-first/documents';
import { compareMediaTypes } from './bodies.ts';
import { finding, type Finding } from './finding.ts';
import { operationsIn } from './path-item.ts';
import { child, children, elements, rawChild, rootOf, textAt, type Pair, type Node } from './node.ts';
import { compareSchemas } from './schema.ts';

/** A request that the service sends, for messages. */
type Outgoing = { readonly operation: string; readonly name: string; readonly today: string };

/**
 * Compares the requests that the service sends to its clients. Their bodies are compared as responses, and the answers of
 * the clients as requests.
 *
 * @param today the current date, `2026-12-31`
 */
export function compareWebhooks({ base, revision }: Pair<OpenApiDocument>, today: string): readonly Finding[] {
  const webhooks = (document: OpenApiDocument) => children(child(rootOf(document), 'webhooks'));
  return compareAll('webhook', undefined, { base: webhooks(base), revision: webhooks(revision) }, today);
}

/** Compares the callbacks of an operation. */
export function compareCallbacks(operation: string, { base, revision }: Pair, today: string): readonly Finding[] {
  const callbacks = (node: Node): ReadonlyMap<string, Node> =>
    new Map(
      [...children(child(node, 'callbacks'))].flatMap(([name, callback]) =>
        [...children(callback)].map(([expression, item]) => [`${name} ${expression}`, item] as const),
      ),
    );
  return compareAll('callback', operation, { base: callbacks(base), revision: callbacks(revision) }, today);
}

function compareAll(
  kind: 'webhook' | 'callback',
  owner: string | undefined,
  { base, revision }: Pair<ReadonlyMap<string, Node>>,
  today: string,
): readonly Finding[] {
  const removed = (name: string, node: Node): Finding =>
    finding(owner, `${kind}-removed`, 'ERR', node, `${kind} ${name} was removed`);
  const added = (name: string, node: Node): Finding =>
    finding(owner, `${kind}-added`, 'INFO', node, `${kind} ${name} was added`);
  return [
    ...[...base].flatMap(([name, item]) => {
      const current = revision.get(name);
      if (current === undefined) return [removed(name, item)];
      const [before, after] = [operationsIn(item), operationsIn(current)];
      return [
        ...[...before].flatMap(([method, operation]) => {
          const other = after.get(method);
          const label = method.toUpperCase();
          if (other === undefined) return [removed(`${name} ${label}`, operation)];
          const at = { operation: owner ?? `${label} ${name}`, name: `${kind} ${name}`, today };
          return compareRequest(at, { base: operation, revision: other });
        }),
        ...[...after].flatMap(([method, operation]) =>
          before.has(method) ? [] : [added(`${name} ${method.toUpperCase()}`, operation)],
        ),
      ];
    }),
    ...[...revision].flatMap(([name, item]) => (base.has(name) ? [] : [added(name, item)])),
  ];
}

function compareRequest(at: Outgoing, { base, revision }: Pair): readonly Finding[] {
  const sent = { ...at, subject: 'response-body', name: `${at.name} body` } as const;
  const bodies = { base: child(base, 'requestBody'), revision: child(revision, 'requestBody') };
  const ofBodies =
    bodies.base === undefined || bodies.revision === undefined
      ? []
      : compareMediaTypes(sent, { base: bodies.base, revision: bodies.revision });
  return [
    ...compareParameters(at, { base, revision }),
    ...ofBodies,
    ...compareAnswers(at, {
      base: children(child(base, 'responses')),
      revision: children(child(revision, 'responses')),
    }),
  ];
}

function compareParameters(at: Outgoing, { base, revision }: Pair): readonly Finding[] {
  const current = parametersOf(revision);
  return [...parametersOf(base)].flatMap(([parameter, node]) => {
    const other = current.get(parameter);
    if (other === undefined) return [];
    const name = `${at.name} ${parameter}`;
    const described = { ...at, subject: 'response-header', name, node: other, text: 'once' } as const;
    return compareSchemas(described, { base: rawChild(node, 'schema'), revision: rawChild(other, 'schema') });
  });
}

function parametersOf(operation: Node): ReadonlyMap<string, Node> {
  const list = child(operation, 'parameters');
  const nodes = elements(list).flatMap((_element, index) => child(list, index) ?? []);
  return new Map(nodes.map((node) => [`${textAt(node, 'in') ?? ''} ${textAt(node, 'name') ?? ''}`, node]));
}

/** Compares the answers of the clients. */
function compareAnswers(at: Outgoing, { base, revision }: Pair<ReadonlyMap<string, Node>>): readonly Finding[] {
  return [...base].flatMap(([status, node]) => {
    const current = revision.get(status);
    const name = `${at.name} response ${status}`;
    if (current === undefined)
      return [finding(at.operation, 'webhook-response-status-removed', 'WARN', node, `${name} was removed`)];
    return compareMediaTypes({ ...at, subject: 'request-body', name }, { base: node, revision: current });
  });
}
