/** Where a request may carry credentials. */
export type Credentials = {
  /** The Authorization header; `undefined` also when there are several. */
  readonly authorization: string | undefined;
  readonly header: (name: string) => string | undefined;
  readonly query: (name: string) => string | undefined;
  readonly cookie: (name: string) => string | undefined;
};

/**
 * Checks a request against one security scheme.
 *
 * @returns `undefined` when the client may come in, else the challenge for WWW-Authenticate (RFC 9110, 11.6.1)
 */
export type Checker = (credentials: Credentials) => Promise<string | undefined>;
