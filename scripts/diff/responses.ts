import type { Finding, Level } from './finding.ts';
import { compareHeaders } from './headers.ts';
import { compareMediaTypes } from './media-types.ts';
import { children, type Pair, type Place } from './place.ts';

/** Compares the documented statuses of an operation, and the headers and bodies of each. */
export function compareResponses(operation: string, { base, revision }: Pair<Place | undefined>): readonly Finding[] {
  const before = responsesOf(base);
  const after = responsesOf(revision);
  const found = (aspect: string, level: Level, status: string, place: Place): Finding => {
    const kind = isSuccess(status) ? 'success' : 'non-success';
    const message = `response ${status} was ${aspect}`;
    return { rule: `response-${kind}-status-${aspect}`, level, pointer: place.pointer, operation, message };
  };

  const ofBase = [...before].flatMap(([status, place]) => {
    if (after.has(status)) return compareResponse(operation, status, { base: place, revision: after.get(status) });
    // `2XX` may replace `200`. A range may be replaced by several statuses, and each is compared with it.
    const partners = [...after].filter(([other]) => inRange(status, other) || inRange(other, status));
    if (partners.length === 0) return [found('removed', isSuccess(status) ? 'ERR' : 'INFO', status, place)];
    return partners.flatMap(([other, current]) =>
      compareResponse(operation, other, { base: place, revision: current }),
    );
  });
  const added = [...after].flatMap(([status, place]) => {
    if (before.has(status) || [...before.keys()].some((other) => inRange(other, status))) return [];
    const range = [...before.keys()].find((other) => inRange(status, other));
    if (range !== undefined && !after.has(range)) return [];
    // The base describes a status that it does not list by its range or by `default`.
    const fallback = before.get(range ?? (isSuccess(status) ? '' : 'default'));
    const rest = compareResponse(operation, status, { base: fallback, revision: place });
    return [found('added', 'INFO', status, place), ...rest];
  });
  return [...ofBase, ...added];
}

function compareResponse(operation: string, status: string, pair: Pair<Place | undefined>): readonly Finding[] {
  const { base, revision } = pair;
  if (base === undefined || revision === undefined) return [];
  const at = { subject: 'response-body', name: `response ${status} body`, operation } as const;
  return [...compareHeaders(operation, status, { base, revision }), ...compareMediaTypes(at, { base, revision })];
}

function responsesOf(place: Place | undefined): ReadonlyMap<string, Place> {
  const entries = [...children(place)].filter(([status]) => !status.startsWith('x-'));
  return new Map(entries.map(([status, response]) => [status === 'default' ? status : status.toUpperCase(), response]));
}

function isSuccess(status: string): boolean {
  return status.startsWith('2');
}

/** Returns whether a status (`200`) belongs to a range (`2XX`). */
function inRange(status: string, range: string): boolean {
  return range !== status && range.endsWith('XX') && status.startsWith(range.charAt(0));
}
