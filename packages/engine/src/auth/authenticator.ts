import {
  checkerKindOf,
  type Identity,
  NotImplemented,
  type Operation,
  type SchemeRequirement,
  type SecurityScheme,
} from '@contract-first/contract';
import { createBearerChecker } from './bearer.ts';
import type {
  AuthenticationResult,
  Checker,
  Credentials,
  ExplainingChecker,
  Refusal,
  Rejection,
} from './credentials.ts';
import type { TokenVerifier } from './token-verifier.ts';

/**
 * Checks the security requirements of one operation; one of them must be satisfied. If a requirement combines several
 * schemes, the first scheme determines the caller.
 *
 * @returns the caller, `undefined` when the operation is public and no credentials were sent; or a challenge.
 *   Throws or rejects with `NotImplemented` without a checker. Rejects with `KeysUnavailable` while credentials cannot
 *   be verified
 */
export type Authenticate = (credentials: Credentials) => AuthenticationResult | Promise<AuthenticationResult>;

const NO_SCOPE = 'the credentials are valid but lack a scope that this operation requires';
// RFC 6750, 3: other characters would end the quoted text.
const SCOPES = /^[\x20\x21\x23-\x5B\x5D-\x7E]+$/;
// RFC 9110, 5.6.2.
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const BEARER_TOKEN = /^bearer +[^ ]+$/i;

/**
 * Creates an authenticator for each operation from the security schemes of the contract.
 *
 * @param checkers the application's checkers, by the name of the scheme; they replace the built-in checkers
 * @param ignoresInvalid whether invalid credentials count as none where they are optional, instead of a 401
 */
export function createAuthenticator(
  schemes: Readonly<Record<string, SecurityScheme>>,
  checkers: Readonly<Record<string, Checker>>,
  tokenVerifier: TokenVerifier,
  ignoresInvalid: boolean,
): (operation: Operation) => Authenticate {
  const byName = new Map<string, ExplainingChecker>();
  for (const [name, scheme] of Object.entries(schemes)) {
    const kind = checkerKindOf(scheme);
    const replacement = Object.hasOwn(checkers, name) ? checkers[name] : undefined;
    if (replacement !== undefined) byName.set(name, explain(replacement));
    else if (kind === 'apiKey') byName.set(name, createApiKeyChecker(scheme, tokenVerifier));
    else if (kind === 'bearer') byName.set(name, createBearerChecker(name, tokenVerifier));
  }

  return ({ security }) => {
    const isOpen = security.length === 0 || security.some((requirement) => requirement.length === 0);
    const requirements = security.flatMap(([first, ...others]) =>
      first === undefined ? [] : requireAll(authenticatorOf(first), others.map(authenticatorOf)),
    );
    const [only] = requirements;
    if (!isOpen && only !== undefined && requirements.length === 1) return only;
    const alternatives = security.filter((requirement) => requirement.length > 0);
    return async (credentials) => {
      const rejections: Rejection[] = [];
      for (const check of requirements) {
        const result = await check(credentials);
        if ('caller' in result) return result;
        rejections.push(result);
      }
      if (!isOpen) return combineRejections(rejections);
      const invalid = rejections.filter(
        ({ status }, index) =>
          status === 401 && alternatives[index]?.some(({ scheme }) => isSent(schemes[scheme], credentials)),
      );
      return ignoresInvalid || invalid.length === 0 ? { caller: undefined } : combineRejections(invalid);
    };
  };

  function authenticatorOf({ scheme: name, scopes }: SchemeRequirement): Authenticate {
    const scheme: SecurityScheme = schemes[name] ?? { type: 'unknown' };
    const check = byName.get(name);
    const challenge = challengeOf(name, scheme);
    const advice = adviceFor(scheme);
    return (credentials) => {
      // Fails closed. In production, the service does not start without the checker.
      if (check === undefined) throw new NotImplemented(`the security scheme ${name}`);
      const identity = check(credentials);
      return identity instanceof Promise
        ? identity.then((found) => toResult(found, credentials))
        : toResult(identity, credentials);
    };

    function toResult(identity: Identity | Refusal, credentials: Credentials): AuthenticationResult {
      if ('refusal' in identity) {
        // RFC 6750, 3.1: without a token in the request, the challenge has no error code.
        const isRejected = challenge.startsWith('Bearer') && BEARER_TOKEN.test(credentials.authorization ?? '');
        return {
          status: 401,
          advice,
          challenge: isRejected ? `${challenge}, error="invalid_token"` : challenge,
          reason: `${name}: ${identity.refusal}`,
        };
      }
      const { scopes: granted = [] } = identity;
      if (granted === 'all' || scopes.every((scope) => granted.includes(scope))) {
        return { caller: { ...identity, scheme: name } };
      }
      const all = scopes.join(' ');
      const missing = `${challenge}, error="insufficient_scope"${SCOPES.test(all) ? `, scope="${all}"` : ''}`;
      const reason = `${name}: the credentials lack a scope: ${all}`;
      return { status: 403, advice: NO_SCOPE, challenge: missing, reason };
    }
  }
}

/** Combines the rejections of alternatives: each is a challenge (RFC 9110, 11.6.1). */
function combineRejections(rejections: readonly Rejection[]): Rejection {
  const lacking = rejections.filter(({ status }) => status === 403);
  const named = lacking.length > 0 ? lacking : rejections; // 403 is more precise than the 401 of another alternative.
  const join = (texts: readonly string[], separator: string): string => [...new Set(texts)].join(separator);
  return {
    status: lacking.length > 0 ? 403 : 401,
    challenge: join(
      named.map(({ challenge }) => challenge),
      ', ',
    ),
    reason: join(
      rejections.map(({ reason }) => reason),
      '; ',
    ),
    advice: join(
      named.map(({ advice }) => advice),
      ', or ',
    ),
  };
}

/** Returns whether a request has credentials, valid or not, in the place that a scheme documents. */
function isSent(scheme: SecurityScheme | undefined, credentials: Credentials): boolean {
  const { type, in: location, name = '' } = scheme ?? { type: 'unknown' };
  if (type === 'apiKey' && (location === 'query' || location === 'cookie'))
    return credentials[location](name) !== undefined;
  return credentials.header(type === 'apiKey' ? name : 'authorization') !== undefined;
}

/** The authentication schemes of HTTP in challenges, by the type of the security scheme. */
const AUTH_SCHEMES: Readonly<Record<string, string>> = {
  apiKey: 'ApiKey',
  oauth2: 'Bearer',
  openIdConnect: 'Bearer',
  mutualTLS: 'Certificate',
};

/** Returns the challenge for a scheme: `Bearer realm="bearerAuth"` (RFC 9110, 11.6.1). */
function challengeOf(name: string, { type, scheme = '' }: SecurityScheme): string {
  const httpScheme = TOKEN.test(scheme) ? scheme.charAt(0).toUpperCase() + scheme.slice(1) : undefined;
  const authScheme = type === 'http' ? httpScheme : AUTH_SCHEMES[type];
  return `${authScheme ?? 'Unknown'} realm="${name}"`;
}

/** Returns which credentials to send for a scheme. */
function adviceFor(scheme: SecurityScheme): string {
  const challenge = challengeOf('', scheme);
  if (challenge.startsWith('Bearer')) return 'send one valid bearer token: Authorization: Bearer <ACCESS_TOKEN>';
  const { type, in: location = '', name = '' } = scheme;
  if (type === 'apiKey') return `send a valid API key: ${location} ${name}`;
  return `send valid ${challenge.split(' ', 1)[0] ?? ''} credentials`;
}

/** Wraps the checker of an application to add a reason. */
function explain(check: Checker): ExplainingChecker {
  return async (credentials) => {
    // Bound functions, since the checker may destructure the object.
    const bound: Credentials = {
      authorization: credentials.authorization,
      header: (name) => credentials.header(name),
      query: (name) => credentials.query(name),
      cookie: (name) => credentials.cookie(name),
    };
    return (await check(bound)) ?? { refusal: 'missing or invalid credentials' };
  };
}

/** Combines the checks of schemes that are all required. */
function requireAll(first: Authenticate, others: readonly Authenticate[]): Authenticate {
  if (others.length === 0) return first;
  return async (credentials) => {
    const result = await first(credentials);
    for (const check of others) {
      if ('challenge' in result) break;
      const other = await check(credentials);
      if ('challenge' in other) return other;
    }
    return result;
  };
}

/** Creates the checker for a security scheme of type `apiKey`, which accepts the configured tokens as keys. */
function createApiKeyChecker(
  { in: location, name = '' }: SecurityScheme,
  { verifyToken }: TokenVerifier,
): ExplainingChecker {
  const place = location === 'query' || location === 'cookie' ? location : 'header';
  return (credentials) => {
    const key = credentials[place](name);
    return key === undefined ? { refusal: 'no API key' } : verifyToken(key);
  };
}
