/** Where a request may carry credentials. */
export type Credentials = {
  /** The Authorization header; `undefined` also when there are several. */
  readonly authorization: string | undefined;
  readonly header: (name: string) => string | undefined;
  readonly query: (name: string) => string | undefined;
  readonly cookie: (name: string) => string | undefined;
};

/** Who may come in, or else the challenge for WWW-Authenticate (RFC 9110, 11.6.1). */
export type Verdict<Caller = string> = { readonly caller: Caller } | { readonly challenge: string };

/** Checks a request against one security scheme. Rejects with `KeysUnavailable` when that is not possible now. */
export type Checker = (credentials: Credentials) => Verdict | Promise<Verdict>;
