/** Escapes a name as a token of a JSON pointer (RFC 6901, 3). */
export function escapePointer(name: string): string {
  // Few names contain `~` or `/`, and this function is called for every member of a document.
  return name.includes('/') || name.includes('~') ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name;
}

/** Returns the name that a token of a JSON pointer stands for. */
export function unescapePointer(token: string): string {
  return token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token;
}
