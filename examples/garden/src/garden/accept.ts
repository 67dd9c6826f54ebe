/**
 * Selects the media type that the header `Accept` prefers (RFC 9110, 12.5.1), the first of equally preferred types.
 *
 * @param header an empty header accepts every type
 * @returns `undefined` if no type is acceptable
 */
export function preferredType<Type extends string>(header: string, available: readonly Type[]): Type | undefined {
  if (header.trim() === '') return available[0];
  const ranges = header.split(',').map(parseRange);
  const weights = available.map((type) => weightOf(type, ranges));
  const best = Math.max(...weights);
  return best > 0 ? available[weights.indexOf(best)] : undefined;
}

type Range = { readonly name: string; readonly weight: number };

/** Parses a media range: `text/csv;q=0.5`. Parameters other than the weight are ignored. */
function parseRange(text: string): Range {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return { name, weight: Number(weight) || 0 };
}

/** Returns the weight of the most specific range that includes the type; 0 for none. */
function weightOf(type: string, ranges: readonly Range[]): number {
  for (const name of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const range = ranges.find((each) => each.name === name);
    if (range !== undefined) return range.weight;
  }
  return 0;
}
