/** What a body of a media type is to a handler: a JSON value, a string, the fields of a form, or bytes. */
export type BodyKind = 'json' | 'text' | 'form' | 'multipart' | 'binary';

// Each request asks several times; a document has few.
const kinds = new Map<string, BodyKind>();

/** Tells the kind of a media type or media range of the document. */
export function kindOf(mediaType: string): BodyKind {
  const known = kinds.get(mediaType);
  if (known !== undefined) return known;
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

/** The media type without its parameters, in lower case: that is what is compared (RFC 9110, 8.3.1). */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/**
 * Finds the documented media type that a Content-Type belongs to: itself before its range (`text/*`) before any.
 *
 * @returns as the document spells it; `undefined` when there is none
 */
export function matchMediaType(contentType: string, documented: readonly string[]): string | undefined {
  if (documented.includes(contentType)) return contentType;
  const essence = essenceOf(contentType);
  const [type = '', subtype] = essence.split('/');
  if (subtype === undefined || subtype === '') return undefined;
  for (const wanted of [essence, `${type}/*`, '*/*']) {
    const match = documented.find((mediaType) => essenceOf(mediaType) === wanted);
    if (match !== undefined) return match;
  }
  return undefined;
}
