import { CannotCheck } from '@contract-first/model/values';

/** The URL of a server, and where it serves the paths of the document. */
export type BaseUrl = {
  readonly url: URL;
  /** The path that replaces the base path of the document; `undefined` where the URL has none. */
  readonly servedAt: string | undefined;
};

/**
 * Reads the URL of a server.
 *
 * @throws {CannotCheck} for other URLs than those of http and https, and for parts that no request would have
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

/** Whether a URL has a path, such as `/` or `/v1`. */
function hasPath(url: string): boolean {
  return /^https?:\/\/[^/?#]*\//i.test(url);
}
