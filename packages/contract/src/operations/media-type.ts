/** The kind of a body: a JSON value, a string, the fields of a form, or bytes. */
export type BodyKind = 'json' | 'text' | 'form' | 'multipart' | 'binary';

// Cached, since a document has few media types and each request looks up several.
const kinds = new Map<string, BodyKind>();

/** Returns the kind of a documented media type or media range. */
export function kindOf(mediaType: string): BodyKind {
  const cached = kinds.get(mediaType);
  if (cached !== undefined) return cached;
  const kind = findKind(mediaType);
  kinds.set(mediaType, kind);
  return kind;
}

function findKind(mediaType: string): BodyKind {
  const essence = essenceOf(mediaType);
  if (/^[^/]+\/(?:.+\+)?json$/.test(essence)) return 'json';
  if (essence === 'application/x-www-form-urlencoded') return 'form';
  if (essence === 'multipart/form-data') return 'multipart';
  return essence.startsWith('text/') ? 'text' : 'binary';
}

/** Whether a documented media type is a range that includes JSON and other media types. */
export function isJsonRange(mediaType: string): boolean {
  return ['*/*', 'application/*'].includes(essenceOf(mediaType));
}

/** Whether the application may have a codec for a media type: JSON, forms and sequences are parsed without one. */
export function mayHaveCodec(mediaType: string): boolean {
  const isParsed = sequenceKindOf(mediaType) !== undefined || !['text', 'binary'].includes(kindOf(mediaType));
  return !isParsed && !mediaType.includes('*');
}

/** Returns the name of the codec for a documented media type. The names of codecs are media types. */
export function findCodec(mediaType: string, codecs: readonly string[]): string | undefined {
  if (codecs.length === 0 || !mayHaveCodec(mediaType)) return undefined;
  return closestOf(
    mediaType,
    codecs.filter((name) => essenceOf(name) === essenceOf(mediaType)),
  );
}

/** The kind of a sequence: one value per line, one per record separator (RFC 7464), or server-sent events. */
type SequenceKind = 'json-lines' | 'json-seq' | 'event-stream';

/** Returns whether a media type is a sequence with an item schema (OpenAPI 3.2, 4.14.3). */
export function isSequential(mediaType: string, { itemSchema }: { readonly itemSchema?: unknown }): boolean {
  return itemSchema !== undefined && sequenceKindOf(mediaType) !== undefined;
}

/** Returns the kind of a sequential media type; `undefined` for other media types. */
export function sequenceKindOf(mediaType: string): SequenceKind | undefined {
  const essence = essenceOf(mediaType);
  if (essence === 'text/event-stream') return 'event-stream';
  const [, name] = /^application\/(?:.+\+)?(jsonl|(?:x-)?ndjson|json-seq)$/.exec(essence) ?? [];
  return name === undefined ? undefined : name === 'json-seq' ? 'json-seq' : 'json-lines';
}

/** Returns a media type in lower case, without parameters, for comparison (RFC 9110, 8.3.1). `*` means any type. */
export function essenceOf(mediaType: string): string {
  const essence = (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return essence === '*' ? '*/*' : essence;
}

// RFC 9110, 8.3.1 and 5.6.6. Registered names contain no `*` (RFC 6838, 4.2): `image/*` is a media range.
const MEDIA_TYPE =
  /^[\w!#$%&'+.^`|~-]+\/[\w!#$%&'+.^`|~-]+(?:[ \t]*;(?:[ \t]*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*"))?)*[ \t]*$/;

/** Returns whether a Content-Type is a media type with well-formed parameters. */
export function isMediaType(contentType: string): boolean {
  return MEDIA_TYPE.test(contentType);
}

/**
 * Finds the documented media type for a Content-Type: the same media type, else a range with its suffix
 * (`application/*+json`), else its range (`text/*`), else any. Among several matches, selects the media type whose
 * parameters were sent, with most in common.
 *
 * @returns the media type as documented; `undefined` when none matches, or the Content-Type is not a media type
 */
export function matchMediaType(contentType: string, documented: readonly string[]): string | undefined {
  if (documented.includes(contentType) && !contentType.includes('*')) return contentType;
  if (!isMediaType(contentType)) return undefined;
  const essence = essenceOf(contentType);
  const [type = '', subtype = ''] = essence.split('/');
  const suffix = subtype.slice(subtype.lastIndexOf('+') + 1);
  const range = `${type}/*+${suffix}`;
  // Some documents use `application/*+json` for `application/json`, too.
  const ranges = subtype.includes('+') ? [range, `${type}/*`, '*/*'] : [`${type}/*`, '*/*', range];
  for (const candidate of [essence, ...ranges]) {
    const same = documented.filter((mediaType) => essenceOf(mediaType) === candidate);
    const match = closestOf(contentType, same);
    if (match !== undefined) return match;
  }
  return undefined;
}

/**
 * Finds the candidate that has fewest parameters that a Content-Type lacks, then most in common. Skips candidates that
 * have a parameter with a different value.
 */
function closestOf(contentType: string, candidates: readonly string[]): string | undefined {
  if (!candidates.some((candidate) => candidate.includes(';'))) return candidates[0];
  const sent = mediaTypeParameters(contentType);
  const ranked = candidates.flatMap((mediaType) => {
    const documented = [...mediaTypeParameters(mediaType)].filter(([name]) => name !== 'boundary');
    const shared = documented.filter(([name, value]) => sent.get(name) === value);
    // A charset may differ: text that is not UTF-8 is refused when it is decoded, and JSON has no charset (RFC 8259,
    // 11).
    const differs = documented.some(([name, value]) => name !== 'charset' && (sent.get(name) ?? value) !== value);
    const missing = documented.filter(([name]) => name !== 'charset' && !sent.has(name));
    const rank = [missing.length, -shared.length, documented.length] as const;
    return differs ? [] : [{ mediaType, rank }];
  });
  const [closest] = ranked.toSorted((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1] || a.rank[2] - b.rank[2]);
  return closest?.mediaType;
}

const PARAMETER = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([\w!#$%&'*+.^`|~-]+))/g;

/** Returns the parameters of a media type by name in lower case. A quoted value equals the same value without quotes. */
export function mediaTypeParameters(mediaType: string): ReadonlyMap<string, string> {
  const parameters = [...mediaType.matchAll(PARAMETER)].map(([, name = '', quoted, token = '']) => {
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? token;
    return [name.toLowerCase(), name.toLowerCase() === 'charset' ? value.toLowerCase() : value] as const;
  });
  return new Map(parameters);
}

/**
 * Returns a media type in its usual spelling, with sorted parameters and without a charset. Media types with the same
 * meaning have the same spelling.
 */
export function normalizeMediaType(mediaType: string): string {
  const parameters = [...mediaTypeParameters(mediaType)].filter(([name]) => name !== 'charset');
  return [essenceOf(mediaType), ...parameters.map(([name, value]) => `${name}=${value}`).toSorted()].join(';');
}

/**
 * Returns a Content-Type in the spelling of the documented media type that it matches, followed by undocumented
 * parameters. Returns it unchanged if the documented media type is a range.
 */
export function spellAsDocumented(contentType: string, documented: string): string {
  if (documented.includes('*') || contentType.startsWith(documented)) return contentType;
  const known = mediaTypeParameters(documented);
  const others = [...contentType.matchAll(PARAMETER)].filter(([, name = '']) => !known.has(name.toLowerCase()));
  return [documented, ...others.map(([parameter]) => parameter)].join('');
}

/** A media type as documented, such as `text/*`, and a concrete one to send. */
export type MediaTypeChoice = { readonly documented: string; readonly sent: string };

/**
 * Chooses one of the documented media types for a failure: JSON if possible, else text, else the first.
 *
 * @returns `undefined` when the failure has no body
 */
export function failureMediaType(documented: readonly string[]): MediaTypeChoice | undefined {
  const preferred = ['json', 'text'].flatMap((kind) => documented.filter((mediaType) => kindOf(mediaType) === kind));
  const [found = documented[0]] = preferred;
  if (found === undefined) return undefined;
  return { documented: found, sent: concreteMediaType(found) };
}

/** Returns a media type that a documented range includes, such as JSON for any type. Returns media types unchanged. */
export function concreteMediaType(documented: string): string {
  const [type = '', subtype = ''] = essenceOf(documented).split('/');
  if (subtype.startsWith('*+')) return `${type}/${subtype.slice(2)}`;
  if (subtype !== '*') return documented;
  const usual = { '*': 'application/json', application: 'application/json', text: 'text/plain', image: 'image/png' }[
    type
  ];
  return usual ?? `${type}/octet-stream`;
}
