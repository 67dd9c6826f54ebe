import type { Finding, Level } from './finding.ts';
import { compareMediaTypes } from './media-types.ts';
import { isSet, type Pair, type Place } from './place.ts';

/** Compares whether a request has a body, whether it must have one, and what it holds. */
export function compareRequestBodies(
  operation: string,
  { base, revision }: Pair<Place | undefined>,
): readonly Finding[] {
  const found = (rule: string, level: Level, place: Place, what: string): Finding => ({
    rule,
    level,
    pointer: place.pointer,
    operation,
    message: `request body ${what}`,
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
