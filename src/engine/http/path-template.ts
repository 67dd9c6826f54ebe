/**
 * One segment of a path template with its parameters: `{id}:cancel` is the literals `''` and `:cancel` around one
 * parameter. There is one literal more than there are parameters.
 */
export type SegmentTemplate = { readonly literals: readonly string[] };

const PARAMETER = /\{[^{}]*\}/;

/** Parses a segment of a path template; `undefined` for one without parameters. */
export function parseSegment(segment: string): SegmentTemplate | undefined {
  const literals = segment.split(PARAMETER);
  return literals.length === 1 ? undefined : { literals: literals.map(normalizePath) };
}

/** The names of the parameters of a path template, in order. */
export function parameterNames(template: string): string[] {
  return [...template.matchAll(new RegExp(PARAMETER, 'g'))].map(([match]) => match.slice(1, -1));
}

/**
 * Matches a segment in linear time. Each parameter takes as few characters as its following literal allows, but at least
 * one; the last one takes the rest.
 *
 * @param segment normalized by {@link normalizePath}
 * @returns the texts of the parameters, still percent-encoded; `undefined` when the segment does not match
 */
export function matchSegment({ literals }: SegmentTemplate, segment: string): string[] | undefined {
  const [first = ''] = literals;
  const last = literals.at(-1) ?? '';
  const end = segment.length - last.length;
  if (!segment.startsWith(first) || !segment.endsWith(last)) return undefined;
  const values: string[] = [];
  let start = first.length;
  for (const literal of literals.slice(1, -1)) {
    const next = segment.indexOf(literal, start + 1);
    if (next === -1) return undefined;
    values.push(segment.slice(start, next));
    start = next + literal.length;
  }
  // Also when the literals overlap: `{a}-` does not match `-`.
  if (end <= start) return undefined;
  return [...values, segment.slice(start, end)];
}

// encodeURIComponent leaves these alone. Some clients encode them nevertheless.
const UNRESERVED = /[\w\-.!~*'()]/;
const ENCODED_OR_ILLEGAL = /%[\da-f]{2}|[^\w\-.!~*'();/?:@&=+$,#[\]%]/giu;

/** Writes equivalent paths alike: only what must be percent-encoded is, in upper case (RFC 3986, 6.2.2). */
export function normalizePath(path: string): string {
  return path.replaceAll(ENCODED_OR_ILLEGAL, (match) => {
    if (!match.startsWith('%')) return encodeURIComponent(match.toWellFormed());
    const character = String.fromCharCode(parseInt(match.slice(1), 16));
    return UNRESERVED.test(character) ? character : match.toUpperCase();
  });
}
