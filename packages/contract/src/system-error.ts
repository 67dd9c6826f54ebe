const TEXTS: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the host name is unknown',
};

/** Describes an error of Node in words: why a file cannot be read or written, or a server cannot be reached. */
export function describeSystemError(error: unknown): string {
  const { code = '', message, cause } = error as NodeJS.ErrnoException; // Node throws no other values.
  if (message === 'fetch failed' && cause !== undefined) return describeSystemError(cause);
  const text = Object.hasOwn(TEXTS, code) ? TEXTS[code] : undefined;
  return text === undefined ? message || code : `${text} (${code})`;
}
