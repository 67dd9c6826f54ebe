import type { IncomingMessage } from 'node:http';
import { essenceOf, isMediaType, NotAcceptable, mediaTypeParameters, type Operation } from '@contract-first/contract';
import { parseWeightedList, type WeightedMember } from '../headers/weighted-list.ts';
import type { Step } from '../exchange.ts';

/**
 * Creates the step that refuses a request whose `Accept` excludes each media type of a success, before its body is
 * read. Returns `undefined` for an operation that does not document 406, or whose media types are not all known.
 */
export function createNegotiationStep({ responses }: Operation): Step | undefined {
  if (responses['406'] === undefined) return undefined;
  const successes = Object.entries(responses).filter(([key]) => key.startsWith('2'));
  const mediaTypes = successes.flatMap(([, response]) => response.mediaTypes);
  const areKnown =
    successes.every(([, response]) => response.mediaTypes.length > 0) && !mediaTypes.join().includes('*');
  if (!areKnown || mediaTypes.length === 0) return undefined;
  return (exchange) => {
    exchange.isNegotiated = true;
    selectMediaType(exchange.req, mediaTypes, true);
    return undefined;
  };
}

/**
 * Selects the media type that the header `Accept` prefers (RFC 9110, 12.5.1), the first of equally preferred ones.
 *
 * @param mayRefuse whether the document has 406; without it, the first media type is selected if none is acceptable
 * @throws {NotAcceptable} if none is acceptable
 */
export function selectMediaType(
  { headers: { accept } }: IncomingMessage,
  mediaTypes: readonly string[],
  mayRefuse: boolean,
): string {
  const [first = ''] = mediaTypes;
  const ranges = accept === undefined ? [] : parseWeightedList(accept).filter(({ text }) => isMediaRange(text));
  if (ranges.length === 0) return first;
  const weights = mediaTypes.map((mediaType) => weightOf(mediaType, ranges));
  const best = Math.max(...weights);
  if (best > 0) return mediaTypes[weights.indexOf(best)] ?? first;
  if (mayRefuse) throw new NotAcceptable(mediaTypes);
  return first;
}

/** Returns the weight of the most specific range that includes a media type; 0 without one. */
function weightOf(mediaType: string, ranges: readonly WeightedMember[]): number {
  let found = { specificity: 0, weight: 0 };
  for (const { text, weight } of ranges) {
    const specificity = specificityOf(text, mediaType);
    if (specificity > found.specificity) found = { specificity, weight };
  }
  return found.weight;
}

/** Returns how specific a range is that includes a media type; 0 if it does not include the media type. */
function specificityOf(range: string, mediaType: string): number {
  const essence = essenceOf(mediaType);
  const candidates = ['*/*', essence.replace(/\/.*/, '/*'), essence];
  const place = candidates.indexOf(essenceOf(range)) + 1;
  if (place === 0) return 0;
  const parameters = mediaTypeParameters(mediaType);
  // The engine sends UTF-8 in any case.
  const wanted = [...mediaTypeParameters(range)].filter(([name]) => name !== 'q' && name !== 'charset');
  if (!wanted.every(([name, value]) => parameters.get(name) === value)) return 0;
  return place === candidates.length ? place + wanted.length : place;
}

/** Whether a member of Accept is a media range. Some clients send `*` for any media type. */
function isMediaRange(text: string): boolean {
  return isMediaType(text.replace(/^\*(?:\/\*)?/, 'any/any').replace(/^([^/;]+)\/\*/, '$1/any'));
}
