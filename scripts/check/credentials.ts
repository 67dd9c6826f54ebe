import type { ApiOperation, SecurityScheme } from './api-operation.ts';

/** One credential of a request. */
export type Credential = { readonly in: 'header' | 'query' | 'cookie'; readonly name: string; readonly value: string };

/** Invalid credentials with their fault. */
export type BadCredentials = { readonly fault: string; readonly credentials: readonly Credential[] };

/** Returns whether an operation requires credentials. */
export function isProtected({ security }: ApiOperation): boolean {
  return security.length > 0 && security.every((requirement) => requirement.length > 0);
}

/**
 * Returns the token as credentials for the first security requirement of an operation; none for a public operation. Several
 * schemes may share a header.
 */
export function credentialsFor({ security }: ApiOperation, token: string | undefined): readonly Credential[] {
  const [requirement = []] = security;
  const credentials = token === undefined ? [] : requirement.flatMap((scheme) => place(scheme, token));
  return [...new Map(credentials.map((credential) => [`${credential.in} ${credential.name}`, credential])).values()];
}

/** Returns all kinds of missing and invalid credentials. */
export function badCredentials(operation: ApiOperation, token: string): readonly BadCredentials[] {
  const [first] = operation.security.flat();
  const bad: BadCredentials[] = [
    { fault: 'no credentials', credentials: [] },
    { fault: 'an unknown token', credentials: credentialsFor(operation, 'unknown') },
    { fault: 'a valid token with a suffix', credentials: credentialsFor(operation, `${token}x`) },
  ];
  // A truncated token must not be empty: that is another fault, below.
  if (token.length > 1) {
    bad.push({ fault: 'a truncated token', credentials: credentialsFor(operation, token.slice(0, -1)) });
  }
  if (first !== undefined && isInAuthorization(first)) {
    const authorization = (value: string): readonly Credential[] => [{ in: 'header', name: 'Authorization', value }];
    bad.push(
      { fault: 'a scheme without credentials', credentials: authorization(authorizationScheme(first)) },
      { fault: 'an unknown scheme', credentials: authorization(`Unknown ${token}`) },
      // The document allows the header only, and URLs are logged (RFC 6750, 5.3).
      { fault: 'the token in the query', credentials: [{ in: 'query', name: 'access_token', value: token }] },
    );
  }
  return bad;
}

/** Returns whether a scheme uses the Authorization header, so that a 401 must have a challenge (RFC 9110, 11.6.1). */
export function isInAuthorization({ type }: SecurityScheme): boolean {
  return type === 'http' || type === 'oauth2' || type === 'openIdConnect';
}

function place(scheme: SecurityScheme, token: string): readonly Credential[] {
  if (scheme.type === 'apiKey') return [{ in: scheme.in ?? 'header', name: scheme.name ?? '', value: token }];
  if (!isInAuthorization(scheme)) return []; // mutualTLS is not part of the request.
  const name = authorizationScheme(scheme);
  const pair = token.includes(':') ? token : `user:${token}`;
  const value = name === 'Basic' ? Buffer.from(pair).toString('base64') : token;
  return [{ in: 'header', name: 'Authorization', value: `${name} ${value}` }];
}

function authorizationScheme({ type, scheme = 'bearer' }: SecurityScheme): string {
  if (type !== 'http') return 'Bearer';
  // Schemes are case-insensitive, and these two have a usual spelling.
  return ['Basic', 'Bearer'].find((name) => name.toLowerCase() === scheme.toLowerCase()) ?? scheme;
}
