import type { Finding, Level } from './finding.ts';
import { compareMediaTypes } from './media-types.ts';
import { isSet, type Pair, type Place } from './place.ts';

/** Compares request bodies: their presence, whether they are required, and their media types. */
export function compareRequestBodies(
  operation: string,
  { base, revision }: Pair<Place | undefined>,
): readonly Finding[] {
  const found = (rule: string, level: Level, place: Place, change: string): Finding => ({
    rule,
    level,
    pointer: place.pointer,
    operation,
    message: `request body ${change}`,
  });
  if (base === undefined) {
    if (revision === undefined) return [];
    return isSet(revision, 'required')
      ? [found('request-body-added-required', 'ERR', revision, 'was added, required')]
      : [found('request-body-added-optional', 'INFO', revision, 'was added, optional')];
  }
  if (revision === undefined) return [found('request-body-removed', 'ERR', base, 'was removed')];

  const before = isSet(base, 'required');
  const after = isSet(revision, 'required');
  const requirement = after
    ? found('request-body-became-required', 'ERR', revision, 'became required')
    : found('request-body-became-optional', 'INFO', revision, 'became optional');
  const at = { subject: 'request-body', name: 'request body', operation } as const;
  return [...(before === after ? [] : [requirement]), ...compareMediaTypes(at, { base, revision })];
}
