import type { OpenApiDocument } from '../openapi/reference.ts';
import { METHODS } from '../openapi/openapi-rules.ts';
import { compareRequestBodies } from './bodies.ts';
import { compareDeprecation, reportRemoval } from './deprecation.ts';
import { finding, sortFindings, type Finding, type Level } from './finding.ts';
import { compareParameters, type OperationPlace } from './parameters.ts';
import { child, children, rootOf, textAt, type Pair, type Place } from './place.ts';
import { compareResponses } from './responses.ts';
import { compareSecurity } from './security.ts';
import { compareServers } from './servers.ts';

/**
 * Lists the differences between two documents that clients can notice, most severe first. Changes of order, descriptions,
 * component names and the structure of equivalent schemas are no differences. Callbacks and the content of webhooks are
 * ignored.
 *
 * @param today the current date, `2026-12-31`: operations may be removed after their sunset
 */
export function compareDocuments(base: OpenApiDocument, revision: OpenApiDocument, today: string): readonly Finding[] {
  const before = operationsOf(base);
  const after = operationsOf(revision);
  const remaining = new Set([...after.values()].map(({ path }) => templateOf(path)));

  const ofBase = [...before].flatMap(([key, previous]) => {
    const current = after.get(key);
    if (current !== undefined) return compareOperation(nameOf(key, current), { base: previous, revision: current });
    const wholePath = !remaining.has(templateOf(previous.path));
    return [reportRemoval(nameOf(key, previous), previous.place, wholePath, today)];
  });
  const added = [...after].flatMap(([key, operation]) =>
    before.has(key) ? [] : [finding(nameOf(key, operation), 'endpoint-added', 'INFO', operation.place, 'was added')],
  );
  return sortFindings([...ofBase, ...added, ...compareWebhooks({ base, revision })]);
}

function compareOperation(operation: string, { base, revision }: Pair<OperationPlace>): readonly Finding[] {
  const places = { base: base.place, revision: revision.place };
  const part = (name: string) => ({ base: child(places.base, name), revision: child(places.revision, name) });
  return [
    ...compareDeprecation(operation, places),
    ...compareOperationId(operation, places),
    ...compareServers({ base, revision }),
    ...compareSecurity(operation, places),
    ...compareParameters(operation, { base, revision }),
    ...compareRequestBodies(operation, part('requestBody')),
    ...compareResponses(operation, part('responses')),
  ];
}

function compareOperationId(operation: string, { base, revision }: Pair): readonly Finding[] {
  const [before, after] = [textAt(base, 'operationId'), textAt(revision, 'operationId')];
  if (before === after) return [];
  const rule = before === undefined ? 'api-operation-id-added' : 'api-operation-id-removed';
  return [finding(operation, rule, 'INFO', revision, `operationId ${before ?? '(none)'} became ${after ?? '(none)'}`)];
}

/** Compares the names of webhooks, but not their content. */
function compareWebhooks({ base, revision }: Pair<OpenApiDocument>): readonly Finding[] {
  const before = children(child(rootOf(base), 'webhooks'));
  const after = children(child(rootOf(revision), 'webhooks'));
  const found = (aspect: string, level: Level, [name, place]: readonly [string, Place]): Finding =>
    finding(undefined, `webhook-${aspect}`, level, place, `webhook ${name} was ${aspect}`);
  return [
    ...[...before].filter(([name]) => !after.has(name)).map((webhook) => found('removed', 'ERR', webhook)),
    ...[...after].filter(([name]) => !before.has(name)).map((webhook) => found('added', 'INFO', webhook)),
  ];
}

/** Returns the operations by method and path template, regardless of the names of path parameters. */
function operationsOf(document: OpenApiDocument): ReadonlyMap<string, OperationPlace> {
  const entries = [...children(child(rootOf(document), 'paths'))].flatMap(([path, item]) => {
    const fixed = [...children(item)].filter(([key]) => METHODS.includes(key));
    const operations = [...fixed, ...children(child(item, 'additionalOperations'))];
    return operations.map(([method, place]) => [`${method} ${templateOf(path)}`, { path, item, place }] as const);
  });
  return new Map(entries);
}

/** Returns the name of an operation in findings: `POST /pets`. */
function nameOf(key: string, { path }: OperationPlace): string {
  return `${key.slice(0, key.indexOf(' ')).toUpperCase()} ${path}`;
}

function templateOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}');
}
