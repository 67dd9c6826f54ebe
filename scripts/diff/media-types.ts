import type { Subject } from './comparison.ts';
import { levelOf, type Finding } from './finding.ts';
import { child, children, rawChild, type Pair, type Place } from './place.ts';
import { compareSchemas } from './schema.ts';

/** A compared body: that of the request, or of the response with a status. */
export type BodyPlace = {
  readonly subject: Extract<Subject, 'request-body' | 'response-body'>;
  readonly name: string;
  readonly operation: string;
};

/** Compares the media types of a body and their schemas. A media range (`text/*`) matches all types it covers. */
export function compareMediaTypes(at: BodyPlace, { base, revision }: Pair): readonly Finding[] {
  const before = mediaTypesOf(base);
  const after = mediaTypesOf(revision);
  const isRequest = at.subject === 'request-body';
  const prefix = isRequest ? 'request-body-media-type' : 'response-media-type';
  const found = (aspect: string, level: Finding['level'], place: Place, change: string): Finding => ({
    rule: `${prefix}-${aspect}`,
    level,
    pointer: place.pointer,
    operation: at.operation,
    message: `${at.name}: media type ${change}`,
  });

  const used = new Set<string>();
  const ofBase = [...before].flatMap(([type, place]) => {
    const partner = after.has(type)
      ? type
      : [...after.keys()].find((other) => covers(other, type) || covers(type, other));
    const current = partner === undefined ? undefined : after.get(partner);
    if (partner === undefined || current === undefined) return [found('removed', 'ERR', place, `${type} was removed`)];
    used.add(partner);
    const widened = partner !== type && covers(partner, type);
    const aspect = widened ? 'name-generalized' : 'name-specialized';
    const level = levelOf(isRequest ? 'request' : 'response', widened ? 'widens' : 'narrows');
    const renamed = partner === type ? [] : [found(aspect, level, current, `${type} became ${partner}`)];
    const schemas = { base: rawChild(place, 'schema'), revision: rawChild(current, 'schema') };
    return [...renamed, ...compareSchemas({ ...at, place: current }, schemas)];
  });
  const added = [...after].filter(([type]) => !before.has(type) && !used.has(type));
  return [...ofBase, ...added.map(([type, place]) => found('added', 'INFO', place, `${type} was added`))];
}

function mediaTypesOf(body: Place): ReadonlyMap<string, Place> {
  const entries = [...children(child(body, 'content'))];
  return new Map(entries.map(([type, place]) => [type.toLowerCase().replaceAll(/\s/g, ''), place]));
}

/** Returns whether a media range covers a media type or equals it. */
function covers(range: string, type: string): boolean {
  return range === type || range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}
