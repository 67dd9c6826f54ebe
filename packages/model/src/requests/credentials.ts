import type { ApiOperation, ApiSecurityScheme } from '../operations/api-operation.ts';

/** One credential of a request. */
export type Credential = { readonly in: 'header' | 'query' | 'cookie'; readonly name: string; readonly value: string };

/** Returns the token of a user for a security scheme, if any. */
export type Tokens = (scheme: ApiSecurityScheme) => string | undefined;

/** Returns whether an operation requires credentials. */
export function isProtected({ security }: ApiOperation): boolean {
  return security.length > 0 && security.every((requirement) => requirement.length > 0);
}

/** Returns the security requirements of an operation whose schemes all have a token or need none. */
export function coveredRequirements(
  { security }: ApiOperation,
  hasToken: (scheme: ApiSecurityScheme) => boolean,
): ApiOperation['security'] {
  const isCovered = (scheme: ApiSecurityScheme): boolean => scheme.type === 'mutualTLS' || hasToken(scheme);
  return security.filter((requirement) => requirement.every(isCovered));
}

/**
 * Returns the credentials for the first security requirement of an operation; none for a public operation. Schemes may
 * share a header.
 */
export function credentialsFor({ security }: ApiOperation, tokens: Tokens): readonly Credential[] {
  const [requirement = []] = security;
  return credentialsOf(requirement, tokens);
}

/** Returns the token of the first scheme of an operation that has a token. */
export function firstToken({ security: [requirement = []] }: ApiOperation, tokens: Tokens): string | undefined {
  return requirement.map(tokens).find((token) => token !== undefined);
}

/** Returns the credentials for a security requirement. */
export function credentialsOf(requirement: readonly ApiSecurityScheme[], tokens: Tokens): readonly Credential[] {
  const credentials = requirement.flatMap((scheme) => {
    const token = tokens(scheme);
    return token === undefined ? [] : place(scheme, token);
  });
  return [...new Map(credentials.map((credential) => [`${credential.in} ${credential.name}`, credential])).values()];
}

/** Returns the credentials for each further security requirement that differ from the credentials for the first. */
export function alternativeCredentials(operation: ApiOperation, tokens: Tokens): readonly (readonly Credential[])[] {
  if (operation.hasCredentialParameters) return [];
  const first = JSON.stringify(credentialsFor(operation, tokens));
  return operation.security
    .slice(1)
    .map((requirement) => credentialsOf(requirement, tokens))
    .filter((credentials) => credentials.length > 0 && JSON.stringify(credentials) !== first);
}

/** Returns whether a token lacks the user name that an operation needs for Basic authentication. */
export function needsUser({ security }: ApiOperation, tokens: Tokens): boolean {
  const schemes = security.flat();
  const isBasic = schemes.length > 0 && schemes.every((scheme) => authorizationScheme(scheme) === 'Basic');
  return isBasic && schemes.map(tokens).some((token) => token?.includes(':') === false);
}

/**
 * Returns valid credentials with alternative spellings of the case-insensitive scheme (RFC 9110, 11.1). API keys in the
 * Authorization header have no scheme.
 */
export function respelledCredentials(operation: ApiOperation, tokens: Tokens): readonly (readonly Credential[])[] {
  const [first = []] = operation.security;
  const isKey = ({ type, name = '' }: ApiSecurityScheme): boolean =>
    type === 'apiKey' && name.toLowerCase() === 'authorization';
  if (!first.some(isInAuthorization) || first.some(isKey)) return [];
  const spellings = [(scheme: string) => scheme.toLowerCase(), (scheme: string) => scheme.toUpperCase()];
  return spellings.map((spell) =>
    credentialsFor(operation, tokens).map((credential) =>
      credential.name === 'Authorization'
        ? { ...credential, value: credential.value.replace(/^\w+/, spell) }
        : credential,
    ),
  );
}

/** Returns whether a scheme uses the Authorization header, so that a 401 must have a challenge (RFC 9110, 11.6.1). */
export function isInAuthorization({ type }: ApiSecurityScheme): boolean {
  return type === 'http' || type === 'oauth2' || type === 'openIdConnect';
}

function place(scheme: ApiSecurityScheme, token: string): readonly Credential[] {
  if (scheme.type === 'apiKey') return [{ in: scheme.in ?? 'header', name: scheme.name ?? '', value: token }];
  if (!isInAuthorization(scheme)) return []; // mutualTLS needs no request data.
  const name = authorizationScheme(scheme);
  const pair = token.includes(':') ? token : `user:${token}`;
  const value = name === 'Basic' ? Buffer.from(pair).toString('base64') : token;
  return [{ in: 'header', name: 'Authorization', value: `${name} ${value}` }];
}

/** Returns the name of a scheme in the Authorization header. */
export function authorizationScheme({ type, scheme = 'bearer' }: ApiSecurityScheme): string {
  if (type !== 'http') return 'Bearer';
  // Schemes are case-insensitive; uses the common spelling of these two.
  return ['Basic', 'Bearer'].find((name) => name.toLowerCase() === scheme.toLowerCase()) ?? scheme;
}
