/**
 * A segment of a path template with parameters. The literals are the texts before, between and after the parameters:
 * `{id}:cancel` has the literals `''` and `:cancel`.
 */
export type SegmentTemplate = { readonly literals: readonly string[] };

const PARAMETER = /\{[^{}]*\}/;
const PARAMETERS = new RegExp(PARAMETER, 'g');

/** Parses a segment of a path template. Returns `undefined` when it has no parameters. */
export function parseSegment(segment: string): SegmentTemplate | undefined {
  const literals = segment.split(PARAMETER);
  return literals.length === 1 ? undefined : { literals: literals.map(normalizePath) };
}

/** Returns a canonical key: the same for all path templates that match the same paths. */
export function routeKey(template: string): string {
  return template.split('/').map(segmentKey).join('/');
}

/** Returns a canonical key: the same for all segments that match the same texts. */
export function segmentKey(segment: string): string {
  return parseSegment(segment)?.literals.join('{}') ?? normalizePath(segment);
}

/** Normalizes the percent-encoding of a path template, except for the names of its parameters. */
export function normalizeTemplate(template: string): string {
  const names = template.match(PARAMETERS) ?? [];
  const literals = template.split(PARAMETER).map(normalizePath);
  return literals.map((literal, index) => literal + (names[index] ?? '')).join('');
}

/** Returns the names of the parameters of a path template, in order. */
export function parameterNames(template: string): string[] {
  return (template.match(PARAMETERS) ?? []).map((match) => match.slice(1, -1));
}

/**
 * Matches a segment in linear time. Each parameter matches at least one character, up to the first occurrence of the
 * next literal; the last parameter matches the rest.
 *
 * @param segment normalized by {@link normalizePath}
 * @returns the percent-encoded values of the parameters; `undefined` if the segment does not match
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
  // Parameters must not be empty: `{a}-` does not match `-`.
  if (end <= start) return undefined;
  return [...values, segment.slice(start, end)];
}

// The characters that encodeURIComponent does not encode. Some clients encode them.
const UNRESERVED = /[\w\-.!~*'()]/;
const ENCODED_OR_ILLEGAL = /%[\da-f]{2}|[^\w\-.!~*'();/?:@&=+$,#[\]%]/giu;

/** Normalizes percent-encoding: encodes only where required, with upper-case digits (RFC 3986, 6.2.2). */
export function normalizePath(path: string): string {
  return path.replaceAll(ENCODED_OR_ILLEGAL, (match) => {
    if (!match.startsWith('%')) return encodeURIComponent(match.toWellFormed());
    const character = String.fromCharCode(parseInt(match.slice(1), 16));
    return UNRESERVED.test(character) ? character : match.toUpperCase();
  });
}
