import { concreteMediaType, essenceOf, matchMediaType, type MediaTypeChoice } from '@contract-first/contract';

const MAX_CHOICES = 1_000;
// Most clients send the same Accept header with each request.
const choices = new Map<string, MediaTypeChoice | undefined>();

/**
 * Chooses the media type of a response by the Accept header of its request (RFC 9110, 12.5.1).
 *
 * @returns the first documented media type where none is acceptable; `undefined` when none is documented
 */
export function negotiate(accept: string, documented: readonly string[]): MediaTypeChoice | undefined {
  const key = [accept, ...documented].join('\n');
  if (choices.has(key)) return choices.get(key);
  if (choices.size >= MAX_CHOICES) choices.clear();
  const choice = choose(accept, documented);
  choices.set(key, choice);
  return choice;
}

function choose(accept: string, documented: readonly string[]): MediaTypeChoice | undefined {
  const ranges = accept.split(',').map(readRange);
  const offers = documented.map((mediaType) => {
    const matching = ranges.filter(({ essence }) => overlap(essence, essenceOf(mediaType)));
    const [range] = matching.toSorted((a, b) => specificityOf(b.essence) - specificityOf(a.essence));
    const isChosenByClient = mediaType.includes('*') && range !== undefined && !range.essence.includes('*');
    const sent = isChosenByClient ? range.essence : concreteMediaType(mediaType);
    return { documented: mediaType, sent, quality: range?.quality ?? 0 };
  });
  // A media type belongs to the most specific description of it.
  const usable = offers.filter(({ documented: mediaType, sent }) => matchMediaType(sent, documented) === mediaType);
  return usable.toSorted((a, b) => b.quality - a.quality)[0];
}

function readRange(text: string): { readonly essence: string; readonly quality: number } {
  const [, weight = '1'] = /;\s*q\s*=\s*([\d.]+)/i.exec(text) ?? [];
  return { essence: essenceOf(text) || '*/*', quality: Number(weight) };
}

/** Returns whether two media ranges have a media type in common. */
function overlap(one: string, other: string): boolean {
  const [type = '', subtype = ''] = one.split('/');
  const [otherType = '', otherSubtype = ''] = other.split('/');
  const fits = (a: string, b: string): boolean => a === b || a === '*' || b === '*';
  return fits(type, otherType) && fits(subtype, otherSubtype);
}

function specificityOf(essence: string): number {
  return essence === '*/*' ? 0 : essence.endsWith('/*') ? 1 : 2;
}
