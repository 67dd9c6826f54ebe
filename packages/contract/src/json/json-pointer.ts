/** Escapes a name as a token of a JSON pointer (RFC 6901, 3). */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
