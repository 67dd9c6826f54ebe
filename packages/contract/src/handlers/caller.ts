/** An identity that credentials prove. */
export type Identity = {
  readonly name: string;
  /** The granted scopes and roles; none by default. `all`: the credentials are not limited to some. */
  readonly scopes?: readonly string[] | 'all';
  /** The claims of a JSON Web Token, or other facts from a checker. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
};

/** The authenticated sender of a request. */
export type Caller = Identity & {
  /** The security scheme that proved the identity. */
  readonly scheme: string;
};
