/** Reads credentials from the places of a request that may carry them. */
export type Credentials = {
  /** The Authorization header; `undefined` also when there are several. */
  readonly authorization: string | undefined;
  readonly header: (name: string) => string | undefined;
  readonly query: (name: string) => string | undefined;
  readonly cookie: (name: string) => string | undefined;
};

/** The authenticated caller, or the challenge for WWW-Authenticate (RFC 9110, 11.6.1). */
export type AuthenticationResult<Caller = string> = { readonly caller: Caller } | { readonly challenge: string };

/** Checks credentials against one security scheme. Rejects with `KeysUnavailable` when it cannot at the moment. */
export type Checker = (credentials: Credentials) => AuthenticationResult | Promise<AuthenticationResult>;
