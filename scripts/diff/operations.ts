import { compareDeprecation, reportRemoval } from './deprecation.ts';
import type { Finding } from './finding.ts';
import { compareParameters, type OperationPlace } from './parameters.ts';
import { child, children, rootOf, textAt, type Pair, type Place } from './place.ts';
import { compareRequestBodies } from './request-body.ts';
import { compareResponses } from './responses.ts';
import { compareSecurity } from './security.ts';
import { compareServers } from './servers.ts';
import type { OpenApiDocument } from '../contract/load.ts';
import { METHODS } from '../contract/openapi-rules.ts';

/** Compares the lists of operations, and the operations that both documents have. */
export function compareOperations(documents: Pair<OpenApiDocument>, today: string): readonly Finding[] {
  const before = operationsOf(documents.base);
  const after = operationsOf(documents.revision);
  const remaining = new Set([...after.values()].map(({ path }) => templateOf(path)));

  const ofBase = [...before].flatMap(([key, base]) => {
    const revision = after.get(key);
    if (revision !== undefined) return compareOperation(`${methodOf(key)} ${revision.path}`, { base, revision });
    const wholePath = !remaining.has(templateOf(base.path));
    return [reportRemoval(`${methodOf(key)} ${base.path}`, base.place, wholePath, today)];
  });
  const added = [...after].flatMap(([key, { path, place }]): readonly Finding[] => {
    if (before.has(key)) return [];
    const operation = `${methodOf(key)} ${path}`;
    return [{ rule: 'endpoint-added', level: 'INFO', pointer: place.pointer, operation, message: 'was added' }];
  });
  return [...ofBase, ...added, ...compareWebhooks(documents)];
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
  const message = `operationId ${before ?? '(none)'} became ${after ?? '(none)'}`;
  return [{ rule, level: 'INFO', pointer: revision.pointer, operation, message }];
}

/** Compares the names of webhooks, but not their content. */
function compareWebhooks({ base, revision }: Pair<OpenApiDocument>): readonly Finding[] {
  const before = children(child(rootOf(base), 'webhooks'));
  const after = children(child(rootOf(revision), 'webhooks'));
  const found = (aspect: string, level: Finding['level'], name: string, { pointer }: Place): Finding => {
    return { rule: `webhook-${aspect}`, level, pointer, message: `webhook ${name} was ${aspect}` };
  };
  return [
    ...[...before].flatMap(([name, place]) => (after.has(name) ? [] : [found('removed', 'ERR', name, place)])),
    ...[...after].flatMap(([name, place]) => (before.has(name) ? [] : [found('added', 'INFO', name, place)])),
  ];
}

/** Returns the operations by method and path template, regardless of the names of path parameters. */
function operationsOf(document: OpenApiDocument): ReadonlyMap<string, OperationPlace> {
  const paths = children(child(rootOf(document), 'paths'));
  return new Map(
    [...paths].flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const place = child(item, method);
        return place === undefined ? [] : [[`${method} ${templateOf(path)}`, { path, item, place }] as const];
      }),
    ),
  );
}

function methodOf(key: string): string {
  return key.slice(0, key.indexOf(' ')).toUpperCase();
}

function templateOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}');
}
