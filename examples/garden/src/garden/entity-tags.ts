const ENTITY_TAG = /(?:W\/)?"[^"]*"/g;

/**
 * Tests whether the header `If-Match` names an entity tag (RFC 9110, 13.1.1). Weak tags never match, since they do not
 * identify bytes.
 */
export function ifMatch(header: string, entityTag: string): boolean {
  return header.trim() === '*' || tagsOf(header).includes(entityTag);
}

/** Tests whether the header `If-None-Match` names an entity tag, weak or not (RFC 9110, 13.1.2). */
export function ifNoneMatch(header: string | undefined, entityTag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || tagsOf(header).some((tag) => tag.replace(/^W\//, '') === entityTag);
}

function tagsOf(header: string): readonly string[] {
  return header.match(ENTITY_TAG) ?? [];
}
