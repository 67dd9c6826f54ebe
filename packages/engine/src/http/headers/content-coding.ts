/** Returns the name of a content coding in lower case. `x-gzip` means `gzip` (RFC 9110, 8.4.1.3). */
export function contentCodingOf(text: string): string {
  const name = text.trim().toLowerCase();
  return name === 'x-gzip' ? 'gzip' : name;
}
