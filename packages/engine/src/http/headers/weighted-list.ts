import { mediaTypeParameters } from '@contract-first/contract';

/** A member of a header such as Accept, and its weight from 0 to 1 (RFC 9110, 12.4.2). */
export type WeightedMember = { readonly text: string; readonly weight: number };

// A quoted string may contain commas. One without an end reaches to the end of the header.
const TOKENS = /"(?:[^"\\]|\\.?)*"?|,|[^",]+/g;
// RFC 9110, 12.4.2, and `.5`, which some clients send.
const WEIGHT = /^(?:[01](?:\.\d*)?|\.\d+)$/;

/** Parses a header whose members may have weights. Leaves out empty members and malformed weights. */
export function parseWeightedList(header: string): readonly WeightedMember[] {
  const members = [''];
  for (const [token] of header.matchAll(TOKENS)) {
    if (token === ',') members.push('');
    else members.push(`${members.pop() ?? ''}${token}`);
  }
  return members.flatMap((member) => {
    const text = member.trim();
    const weight = mediaTypeParameters(text).get('q') ?? '1';
    return text !== '' && WEIGHT.test(weight) && Number(weight) <= 1 ? [{ text, weight: Number(weight) }] : [];
  });
}
