import type { OpenApiDocument } from '../openapi/reference.ts';
import { METHODS } from '../openapi/openapi-rules.ts';
import { compareMediaTypes } from './bodies.ts';
import { finding, type Finding } from './finding.ts';
import { child, children, elements, rawChild, rootOf, textAt, type Pair, type Place } from './place.ts';
import { compareSchemas } from './schema.ts';

/**
 * Compares the requests that the service sends to its clients. Their bodies are compared as responses, and the answers of
 * the clients as requests.
 */
export function compareWebhooks({ base, revision }: Pair<OpenApiDocument>): readonly Finding[] {
  const webhooks = (document: OpenApiDocument) => children(child(rootOf(document), 'webhooks'));
  return compareAll('webhook', undefined, { base: webhooks(base), revision: webhooks(revision) });
}

/** Compares the callbacks of an operation. */
export function compareCallbacks(operation: string, { base, revision }: Pair): readonly Finding[] {
  const callbacks = (place: Place): ReadonlyMap<string, Place> =>
    new Map(
      [...children(child(place, 'callbacks'))].flatMap(([name, callback]) =>
        [...children(callback)].map(([expression, item]) => [`${name} ${expression}`, item] as const),
      ),
    );
  return compareAll('callback', operation, { base: callbacks(base), revision: callbacks(revision) });
}

function compareAll(
  kind: 'webhook' | 'callback',
  owner: string | undefined,
  { base, revision }: Pair<ReadonlyMap<string, Place>>,
): readonly Finding[] {
  const added = [...revision].filter(([name]) => !base.has(name));
  return [
    ...[...base].flatMap(([name, item]) => {
      const current = revision.get(name);
      if (current === undefined) return [finding(owner, `${kind}-removed`, 'ERR', item, `${kind} ${name} was removed`)];
      return METHODS.flatMap((method) => {
        const operations = { base: child(item, method), revision: child(current, method) };
        return compareRequest(owner ?? `${method.toUpperCase()} ${name}`, `${kind} ${name}`, operations);
      });
    }),
    ...added.map(([name, item]) => finding(owner, `${kind}-added`, 'INFO', item, `${kind} ${name} was added`)),
  ];
}

function compareRequest(
  operation: string,
  name: string,
  { base, revision }: Pair<Place | undefined>,
): readonly Finding[] {
  if (base === undefined || revision === undefined) return [];
  const sent = { subject: 'response-body', name: `${name} body`, operation } as const;
  const bodies = { base: child(base, 'requestBody'), revision: child(revision, 'requestBody') };
  const ofBodies =
    bodies.base === undefined || bodies.revision === undefined
      ? []
      : compareMediaTypes(sent, { base: bodies.base, revision: bodies.revision });
  return [
    ...compareParameters(operation, name, { base, revision }),
    ...ofBodies,
    ...compareAnswers(operation, name, {
      base: children(child(base, 'responses')),
      revision: children(child(revision, 'responses')),
    }),
  ];
}

function compareParameters(operation: string, name: string, { base, revision }: Pair): readonly Finding[] {
  const current = parametersOf(revision);
  return [...parametersOf(base)].flatMap(([parameter, place]) => {
    const other = current.get(parameter);
    if (other === undefined) return [];
    const described = {
      subject: 'response-header',
      name: `${name} ${parameter}`,
      operation,
      place: other,
      text: 'once',
    } as const;
    return compareSchemas(described, { base: rawChild(place, 'schema'), revision: rawChild(other, 'schema') });
  });
}

function parametersOf(operation: Place): ReadonlyMap<string, Place> {
  const list = child(operation, 'parameters');
  const places = elements(list).flatMap((_element, index) => child(list, index) ?? []);
  return new Map(places.map((place) => [`${textAt(place, 'in') ?? ''} ${textAt(place, 'name') ?? ''}`, place]));
}

/** Compares the answers of the clients. */
function compareAnswers(
  operation: string,
  name: string,
  { base, revision }: Pair<ReadonlyMap<string, Place>>,
): readonly Finding[] {
  return [...base].flatMap(([status, place]) => {
    const current = revision.get(status);
    const subject = `${name} response ${status}`;
    if (current === undefined)
      return [finding(operation, 'webhook-response-status-removed', 'WARN', place, `${subject} was removed`)];
    const at = { subject: 'request-body', name: subject, operation } as const;
    return compareMediaTypes(at, { base: place, revision: current });
  });
}
