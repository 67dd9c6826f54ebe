import type { Caller, Identity } from '@contract-first/contract';

/** Reads credentials from the parts of a request that may carry them. */
export type Credentials = {
  /** The Authorization header; `undefined` when there is none or several. */
  readonly authorization: string | undefined;
  readonly header: (name: string) => string | undefined;
  readonly query: (name: string) => string | undefined;
  readonly cookie: (name: string) => string | undefined;
};

/**
 * Checks credentials against one security scheme. Rejects with `KeysUnavailable` while credentials cannot be verified.
 *
 * @returns the identity; `undefined` when the credentials are missing or invalid
 */
export type Checker = (credentials: Credentials) => Identity | undefined | Promise<Identity | undefined>;

/** The JWKS has not been fetched yet, so JSON Web Tokens cannot be verified. */
export class KeysUnavailable extends Error {}

/** Why credentials are not accepted, for the log. Never quotes the credentials. */
export type Refusal = { readonly refusal: string };

/** Checks credentials like a {@link Checker}, and gives the reason when they are missing or invalid. */
export type ExplainingChecker = (credentials: Credentials) => Identity | Refusal | Promise<Identity | Refusal>;

/** The caller, or the reason for rejecting the credentials. */
export type AuthenticationResult = { readonly caller: Caller | undefined } | Rejection;

/** Why a request has no caller: 401 for missing or invalid credentials, 403 for a missing scope. */
export type Rejection = {
  readonly status: 401 | 403;
  /** The challenges for WWW-Authenticate (RFC 9110, 11.6.1; RFC 6750, 3). */
  readonly challenge: string;
  /** The reason for the log. */
  readonly reason: string;
  /** The message to the client, with the credentials to send. */
  readonly advice: string;
};
