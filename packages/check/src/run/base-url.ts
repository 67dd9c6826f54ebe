import { CannotCheck } from '@contract-first/model/values';

/** The URL of a server and its base path. */
export type BaseUrl = {
  readonly url: URL;
  /** The path that replaces the document's base path; `undefined` if the URL has no path. */
  readonly servedAt: string | undefined;
};

/**
 * Parses the URL of a server.
 *
 * @throws {CannotCheck} if the scheme is neither http nor https, or the URL has a user, a password, a query or a
 *   fragment
 */
export function readBaseUrl(text: string): BaseUrl {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new CannotCheck(`${text} is not an http or https URL such as http://127.0.0.1:3000`);
  const { username, password, search, hash } = url;
  if (username + password + search + hash !== '')
    throw new CannotCheck('--url must not have a user, a password, a query or a fragment');
  return { url, servedAt: hasPath(text) ? url.pathname : undefined };
}

/** Returns whether a URL has an explicit path, such as `/` or `/v1`. */
function hasPath(url: string): boolean {
  return /^https?:\/\/[^/?#]*\//i.test(url);
}
