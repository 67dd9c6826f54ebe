import type { OpenApiDocument } from '@contract-first/documents';
import { compareRequestBodies } from './bodies.ts';
import { compareDeprecation, reportRemoval } from './deprecation.ts';
import { finding, sortFindings, type Finding, type Scope } from './finding.ts';
import { compareParameters, type OperationNode } from './parameters.ts';
import { compareCallbacks, compareWebhooks } from './outgoing.ts';
import { operationsIn } from './path-item.ts';
import { child, children, rootOf, textAt, type Pair } from './node.ts';
import { compareResponses } from './responses.ts';
import { compareSecurity } from './security.ts';
import { compareServers } from './servers.ts';

/**
 * Lists the differences between two documents that clients can notice, most severe first. Changes of order, descriptions,
 * component names and the structure of equivalent schemas are no differences.
 *
 * @param today the current date, `2026-12-31`: operations, parameters and properties may be removed after their sunset
 */
export function compareDocuments(base: OpenApiDocument, revision: OpenApiDocument, today: string): readonly Finding[] {
  const before = operationsOf(base);
  const after = operationsOf(revision);
  const remaining = new Set([...after.values()].map(({ path }) => templateOf(path)));

  const scopeOf = (key: string, node: OperationNode): Scope => ({
    operation: nameOf(key, node),
    name: 'operation',
    today,
  });
  const movedTo = findMoved({ base: before, revision: after });
  const ofBase = [...before].flatMap(([key, previous]) => {
    const current = after.get(key);
    if (current !== undefined) return compareOperation(scopeOf(key, current), { base: previous, revision: current });
    const wholePath = !remaining.has(templateOf(previous.path));
    const removal = reportRemoval(scopeOf(key, previous), previous.node, wholePath);
    const moved = movedTo.get(key);
    const operation = moved === undefined ? undefined : after.get(moved);
    if (moved === undefined || operation === undefined) return [removal];
    const nodes = { base: previous, revision: operation };
    const change = `${removal.change}; its operationId is now at ${nameOf(moved, operation)}`;
    return [{ ...removal, change }, ...compareOperation(scopeOf(moved, operation), nodes)];
  });
  const added = [...after].flatMap(([key, operation]) =>
    before.has(key) ? [] : [finding(scopeOf(key, operation), 'endpoint-added', 'INFO', operation.node, 'was added')],
  );
  return sortFindings([...ofBase, ...added, ...compareWebhooks({ base, revision }, today)]);
}

/** Finds the operations that have another method or path in the revision, by their operationId. */
function findMoved({ base, revision }: Pair<ReadonlyMap<string, OperationNode>>): ReadonlyMap<string, string> {
  const unmatched = [...revision].filter(([key]) => !base.has(key));
  const byId = new Map(unmatched.map(([key, { node }]) => [textAt(node, 'operationId'), key]));
  const entries = [...base].flatMap(([key, { node }]) => {
    const id = textAt(node, 'operationId');
    const moved = revision.has(key) || id === undefined ? undefined : byId.get(id);
    return moved === undefined ? [] : [[key, moved] as const];
  });
  return new Map(entries);
}

function compareOperation(scope: Scope, { base, revision }: Pair<OperationNode>): readonly Finding[] {
  const nodes = { base: base.node, revision: revision.node };
  const part = (name: string) => ({ base: child(nodes.base, name), revision: child(nodes.revision, name) });
  return [
    ...compareDeprecation(scope, nodes),
    ...compareOperationId(scope, nodes),
    ...compareServers({ base, revision }),
    ...compareSecurity(scope, nodes),
    ...compareParameters(scope, { base, revision }),
    ...compareRequestBodies(scope, part('requestBody')),
    ...compareResponses(scope, part('responses')),
    ...compareCallbacks(scope, nodes),
  ];
}

function compareOperationId(scope: Scope, { base, revision }: Pair): readonly Finding[] {
  const [before, after] = [textAt(base, 'operationId'), textAt(revision, 'operationId')];
  if (before === after) return [];
  const rule = before === undefined ? 'api-operation-id-added' : 'api-operation-id-removed';
  return [finding(scope, rule, 'INFO', revision, `operationId ${before ?? '(none)'} became ${after ?? '(none)'}`)];
}

/** Returns the operations by method and path template, regardless of the names of path parameters. */
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

function templateOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}');
}
