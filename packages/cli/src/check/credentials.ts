import type { ApiOperation, SecurityScheme } from './api-operation.ts';

/** One credential of a request. */
export type Credential = { readonly in: 'header' | 'query' | 'cookie'; readonly name: string; readonly value: string };

/** Returns the token of a user for a security scheme; `undefined` without one. */
export type Tokens = (scheme: SecurityScheme) => string | undefined;

/** Invalid credentials with their fault. */
export type BadCredentials = { readonly fault: string; readonly credentials: readonly Credential[] };

/** Returns whether an operation requires credentials. */
export function isProtected({ security }: ApiOperation): boolean {
  return security.length > 0 && security.every((requirement) => requirement.length > 0);
}

/** Returns the security requirements of an operation whose schemes all have a token, or need none. */
export function coveredRequirements(
  { security }: ApiOperation,
  hasToken: (scheme: SecurityScheme) => boolean,
): ApiOperation['security'] {
  const isCovered = (scheme: SecurityScheme): boolean => scheme.type === 'mutualTLS' || hasToken(scheme);
  return security.filter((requirement) => requirement.every(isCovered));
}

/**
 * Returns the credentials for the first security requirement of an operation; none for a public operation. Several schemes
 * may share a header.
 */
export function credentialsFor({ security }: ApiOperation, tokens: Tokens): readonly Credential[] {
  const [requirement = []] = security;
  return credentialsOf(requirement, tokens);
}

/** Returns the token of the first scheme of an operation. */
export function firstToken({ security: [requirement = []] }: ApiOperation, tokens: Tokens): string | undefined {
  return requirement.map(tokens).find((token) => token !== undefined);
}

function credentialsOf(requirement: readonly SecurityScheme[], tokens: Tokens): readonly Credential[] {
  const credentials = requirement.flatMap((scheme) => {
    const token = tokens(scheme);
    return token === undefined ? [] : place(scheme, token);
  });
  return [...new Map(credentials.map((credential) => [`${credential.in} ${credential.name}`, credential])).values()];
}

/** Returns the credentials of each further security requirement, where they differ from those of the first one. */
export function alternativeCredentials(operation: ApiOperation, tokens: Tokens): readonly (readonly Credential[])[] {
  if (operation.hasCredentialParameters) return [];
  const first = JSON.stringify(credentialsFor(operation, tokens));
  return operation.security
    .slice(1)
    .map((requirement) => credentialsOf(requirement, tokens))
    .filter((credentials) => credentials.length > 0 && JSON.stringify(credentials) !== first);
}

/** Returns whether a token is a password without a user: an operation has Basic authentication only. */
export function needsUser({ security }: ApiOperation, tokens: Tokens): boolean {
  const schemes = security.flat();
  const isBasic = schemes.length > 0 && schemes.every((scheme) => authorizationScheme(scheme) === 'Basic');
  return isBasic && schemes.map(tokens).some((token) => token?.includes(':') === false);
}

/**
 * Returns valid credentials with the other spellings of their scheme, which is case-insensitive (RFC 9110, 11.1). An API key in
 * the header has none.
 */
export function respelledCredentials(operation: ApiOperation, tokens: Tokens): readonly (readonly Credential[])[] {
  const [first = []] = operation.security;
  const isKey = ({ type, name = '' }: SecurityScheme): boolean =>
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

/** Returns all kinds of missing and invalid credentials. */
export function badCredentials(operation: ApiOperation, tokens: Tokens): readonly BadCredentials[] {
  const bad: BadCredentials[] = [
    { fault: 'no credentials', credentials: [] },
    ...WRONG_TOKENS.flatMap(([fault, change]) => wrongCredentials(operation, tokens, fault, change)),
    ...halves(operation, tokens),
    ...misplaced(operation, tokens),
  ];
  const valid = operation.security
    .map((requirement) => credentialsOf(requirement, tokens))
    .filter((credentials) => credentials.length > 0);
  // A place that is wrong for one alternative may be right for another.
  return bad.filter(
    ({ credentials }) => !valid.some((all) => all.every((one) => credentials.some((has) => isSame(one, has)))),
  );
}

const LONG_TOKEN_CHARS = 1_000;
const HEADER_NAME = /^[\w-]+$/;
const WRONG_TOKENS: readonly (readonly [fault: string, change: (token: string) => string])[] = [
  ['an unknown token', () => 'unknown'],
  ['a valid token with a suffix', (token) => `${token}x`],
  // A truncated token must not be empty: that is another fault.
  ['a truncated token', (token) => token.slice(0, -1)],
  ['the end of a token', (token) => token.slice(1)],
  ['a token with another character', withOtherCharacter],
  ['a token in the other case', inOtherCase],
  ['a token of one character', () => 'x'],
  ['a valid token twice', (token) => token + token],
  ['a long token', () => 'x'.repeat(LONG_TOKEN_CHARS)],
];

function withOtherCharacter(token: string): string {
  const middle = token.length >> 1;
  return token.slice(0, middle) + (token.charAt(middle) === 'x' ? 'y' : 'x') + token.slice(middle + 1);
}

/** The names of users may be case-insensitive, passwords and tokens are not. */
function inOtherCase(token: string): string {
  const user = token.slice(0, token.indexOf(':') + 1);
  const secret = token.slice(user.length);
  return user + (secret === secret.toLowerCase() ? secret.toUpperCase() : secret.toLowerCase());
}

/** Returns the credentials of changed tokens; none where the change leaves a valid or an empty one. */
function wrongCredentials(
  operation: ApiOperation,
  tokens: Tokens,
  fault: string,
  change: (token: string) => string,
): readonly BadCredentials[] {
  const [requirement = []] = operation.security;
  const given = requirement.map(tokens).filter((token) => token !== undefined);
  if (given.some((token) => ['', token].includes(change(token)))) return [];
  const changed: Tokens = (scheme) => {
    const token = tokens(scheme);
    return token === undefined ? undefined : change(token);
  };
  return [{ fault, credentials: credentialsFor(operation, changed) }];
}

/** Returns the credentials of each requirement of several schemes without one of them. */
function halves(operation: ApiOperation, tokens: Tokens): readonly BadCredentials[] {
  return operation.security
    .filter((requirement) => requirement.length > 1)
    .flatMap((requirement) =>
      requirement.map((_, index) => ({
        fault: 'one of several required credentials missing',
        credentials: credentialsOf(requirement.toSpliced(index, 1), tokens),
      })),
    );
}

/** Returns the token in places and forms that the document does not have. */
function misplaced({ security }: ApiOperation, tokens: Tokens): readonly BadCredentials[] {
  const [first] = security.flat();
  const token = first && tokens(first);
  if (first === undefined || token === undefined) return [];
  const inHeader = (value: string): readonly Credential[] => [{ in: 'header', name: 'Authorization', value }];
  if (!isInAuthorization(first)) {
    const { name = '' } = first;
    const locations = HEADER_NAME.test(name) ? (['header', 'query', 'cookie'] as const) : (['query'] as const);
    const elsewhere = locations.filter((location) => location !== first.in);
    return [
      { fault: 'the key as a bearer token', credentials: inHeader(`Bearer ${token}`) },
      ...elsewhere.map((location) => ({
        fault: `the key in the ${location}`,
        credentials: [{ in: location, name, value: token }],
      })),
    ];
  }
  const scheme = authorizationScheme(first);
  return [
    { fault: 'a scheme without credentials', credentials: inHeader(scheme) },
    { fault: 'an unknown scheme', credentials: inHeader(`Unknown ${token}`) },
    { fault: 'another scheme', credentials: inHeader(`${scheme === 'Basic' ? 'Bearer' : 'Basic'} ${token}`) },
    { fault: 'the token without a scheme', credentials: inHeader(token) },
    // The document allows the header only, and URLs are logged (RFC 6750, 5.3).
    ...['access_token', 'token'].flatMap((name) =>
      (['query', 'cookie'] as const).map((location) => ({
        fault: `the token in the ${location}`,
        credentials: [{ in: location, name, value: token }],
      })),
    ),
    { fault: 'the token in another header', credentials: [{ in: 'header', name: 'X-Access-Token', value: token }] },
  ];
}

function isSame(one: Credential, other: Credential): boolean {
  const name = ({ in: location, name }: Credential): string => (location === 'header' ? name.toLowerCase() : name);
  return one.in === other.in && name(one) === name(other) && one.value === other.value;
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
