import type { ApiOperation, SecurityScheme } from './api-operation.ts';

/** Something that a request is authenticated by. */
export type Credential = { readonly in: 'header' | 'query' | 'cookie'; readonly name: string; readonly value: string };

/** Credentials that must not let anyone in, and what is wrong with them. */
export type BadCredentials = { readonly fault: string; readonly credentials: readonly Credential[] };

/** Whether an operation is closed to a client without credentials. */
export function isProtected({ security }: ApiOperation): boolean {
  return security.length > 0 && security.every((requirement) => requirement.length > 0);
}

/** The token, placed as the first of the operation's security requirements wants it; nothing for an open operation. */
export function credentialsFor({ security }: ApiOperation, token: string | undefined): readonly Credential[] {
  const [requirement = []] = security;
  return token === undefined ? [] : requirement.flatMap((scheme) => place(scheme, token));
}

/** Every way to come without valid credentials. */
export function badCredentials(operation: ApiOperation, token: string): readonly BadCredentials[] {
  const [first] = operation.security.flat();
  const bad: BadCredentials[] = [
    { fault: 'no credentials', credentials: [] },
    { fault: 'an unknown token', credentials: credentialsFor(operation, 'unknown') },
    { fault: 'a token with a known start', credentials: credentialsFor(operation, `${token}x`) },
  ];
  // An empty start would be no token at all, and is tried below.
  if (token.length > 1) {
    bad.push({ fault: 'the start of a token', credentials: credentialsFor(operation, token.slice(0, -1)) });
  }
  if (first !== undefined && isInAuthorization(first)) {
    const authorization = (value: string): readonly Credential[] => [{ in: 'header', name: 'Authorization', value }];
    bad.push(
      { fault: 'a scheme without credentials', credentials: authorization(authorizationScheme(first)) },
      { fault: 'an unknown scheme', credentials: authorization(`Unknown ${token}`) },
      // The document names a header only, and addresses end in logs (RFC 6750, 5.3).
      { fault: 'the token in the query', credentials: [{ in: 'query', name: 'access_token', value: token }] },
    );
  }
  return bad;
}

/** Whether a refusal must come with a challenge (RFC 9110, 11.6.1): the scheme is one of HTTP's own framework. */
export function isInAuthorization({ type }: SecurityScheme): boolean {
  return type === 'http' || type === 'oauth2' || type === 'openIdConnect';
}

function place(scheme: SecurityScheme, token: string): readonly Credential[] {
  if (scheme.type === 'apiKey') return [{ in: scheme.in ?? 'header', name: scheme.name ?? '', value: token }];
  if (!isInAuthorization(scheme)) return []; // mutualTLS: not a part of the request
  const name = authorizationScheme(scheme);
  const value = name === 'Basic' ? Buffer.from(token).toString('base64') : token;
  return [{ in: 'header', name: 'Authorization', value: `${name} ${value}` }];
}

function authorizationScheme({ type, scheme = 'bearer' }: SecurityScheme): string {
  return type === 'http' && scheme.toLowerCase() === 'basic' ? 'Basic' : 'Bearer';
}
