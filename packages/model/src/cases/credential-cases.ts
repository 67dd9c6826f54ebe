import type { ApiOperation, ApiSecurityScheme } from '../operations/api-operation.ts';
import {
  alternativeCredentials,
  authorizationScheme,
  type Credential,
  credentialsFor,
  credentialsOf,
  isInAuthorization,
  respelledCredentials,
  type Tokens,
} from '../requests/credentials.ts';
import { type RequestInput, withBody, writeRequest } from '../requests/wire-request.ts';
import { type Case, irreducibleCase } from './case.ts';
import { malformedBodies, type MalformedBody } from './malformed-bodies.ts';

/** Generates requests with wrong credentials. Some are invalid as well, since 401 has priority over 400. */
export function* rejectedCredentials(
  operation: ApiOperation,
  plainInputs: readonly RequestInput[],
  tokens: Tokens,
  token: string,
): Generator<Case> {
  const [first] = plainInputs;
  if (first === undefined) return;
  for (const { fault, credentials } of badCredentials(operation, tokens)) {
    yield* irreducibleCase('no authentication', fault, writeRequest(operation, first, credentials));
  }
  const inPath = first.parameters.filter(({ parameter }) => parameter.in === 'path');
  const incomplete = writeRequest(operation, { ...first, parameters: inPath }, []);
  yield* irreducibleCase('no authentication', 'no credentials and no parameters', incomplete);
  const sent = plainInputs.find(({ body }) => body !== undefined);
  const bare = sent && writeRequest(operation, sent, []);
  if (sent === undefined || bare === undefined) return;
  const bodies = malformedBodies(operation, sent);
  const [mistyped, malformed] = [true, false].map((isMistyped) =>
    bodies.find(({ fault }) => fault.startsWith('sent as') === isMistyped),
  );
  const contentType = sent.body?.content.contentType ?? '';
  const inForm = `access_token=${encodeURIComponent(token)}`;
  const added: readonly MalformedBody[] = [
    { kind: 'negative', fault: 'an empty object', contentType, bytes: Buffer.from('{}') },
    {
      kind: 'negative',
      fault: 'the token in the body',
      contentType: 'application/x-www-form-urlencoded',
      bytes: Buffer.from(inForm),
    },
  ];
  for (const body of [mistyped, malformed, ...added]) {
    if (body === undefined) continue;
    yield* irreducibleCase('no authentication', `no credentials and ${body.fault}`, withBody(bare, body));
  }
}

/** Generates requests with valid credentials in alternative forms. */
export function* acceptedCredentials(operation: ApiOperation, first: RequestInput, tokens: Tokens): Generator<Case> {
  for (const credentials of alternativeCredentials(operation, tokens)) {
    const places = credentials.map(({ in: location, name }) => `${name} in the ${location}`).join(' and ');
    yield* irreducibleCase('positive', `credentials by ${places}`, writeRequest(operation, first, credentials));
  }
  const [usual] = irreducibleCase(
    'positive',
    'positive',
    writeRequest(operation, first, credentialsFor(operation, tokens)),
  );
  for (const credentials of respelledCredentials(operation, tokens)) {
    const request = writeRequest(operation, first, credentials);
    for (const spelled of irreducibleCase('positive', 'the scheme in another case', request))
      yield { ...spelled, usual };
  }
}

/** Invalid credentials with their fault. */
type BadCredentials = { readonly fault: string; readonly credentials: readonly Credential[] };

/** Returns all kinds of missing and invalid credentials. */
function badCredentials(operation: ApiOperation, tokens: Tokens): readonly BadCredentials[] {
  const bad: BadCredentials[] = [
    { fault: 'no credentials', credentials: [] },
    ...WRONG_TOKENS.flatMap(([fault, change]) => wrongCredentials(operation, tokens, fault, change)),
    ...halves(operation, tokens),
    ...misplaced(operation, tokens).filter(
      ({ credentials }) => !credentials.some((one) => isDocumented(one, operation)),
    ),
  ];
  const valid = operation.security
    .map((requirement) => credentialsOf(requirement, tokens))
    .filter((credentials) => credentials.length > 0);
  // A wrong place for one alternative may be valid for another alternative.
  return bad.filter(
    ({ credentials }) => !valid.some((all) => all.every((one) => credentials.some((has) => isSame(one, has)))),
  );
}

const LONG_TOKEN_CHARS = 1_000;
const HEADER_NAME = /^[\w-]+$/;
const WRONG_TOKENS: readonly (readonly [fault: string, change: (token: string) => string])[] = [
  ['an unknown token', () => 'unknown'],
  ['a valid token with a suffix', (token) => `${token}x`],
  // Must not become empty, which is a separate fault.
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

/** Inverts the case of a token. Keeps the user name, which may be case-insensitive. */
function inOtherCase(token: string): string {
  const user = token.slice(0, token.indexOf(':') + 1);
  const secret = token.slice(user.length);
  return user + (secret === secret.toLowerCase() ? secret.toUpperCase() : secret.toLowerCase());
}

/** Returns credentials with changed tokens, except if a changed token is valid or empty. */
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

/** Returns incomplete credentials: for each requirement of several schemes, without one scheme. */
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

/** Returns the token in undocumented places and forms. */
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
    // The document allows only the header, and URLs may be logged (RFC 6750, 5.3).
    ...['access_token', 'token'].flatMap((name) =>
      (['query', 'cookie'] as const).map((location) => ({
        fault: `the token in the ${location}`,
        credentials: [{ in: location, name, value: token }],
      })),
    ),
    { fault: 'the token in another header', credentials: [{ in: 'header', name: 'X-Access-Token', value: token }] },
  ];
}

/** Returns whether an alternative scheme, whose credentials may be unknown, allows a credential in this place and form. */
function isDocumented({ in: location, name, value }: Credential, operation: ApiOperation): boolean {
  const { security, documentedSecurity = security } = operation;
  const isIn = (scheme: ApiSecurityScheme, other: string): boolean =>
    location === (scheme.in ?? 'header') && (location === 'header' ? isSameName(name, other) : name === other);
  const [first] = security.flat();
  return documentedSecurity
    .filter((requirement) => !requirement.some((scheme) => scheme === first))
    .flat()
    .some((scheme) =>
      isInAuthorization(scheme)
        ? isIn(scheme, 'Authorization') && isSameName(value.split(' ')[0] ?? '', authorizationScheme(scheme))
        : isIn(scheme, scheme.name ?? ''),
    );
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function isSame(one: Credential, other: Credential): boolean {
  const name = ({ in: location, name }: Credential): string => (location === 'header' ? name.toLowerCase() : name);
  return one.in === other.in && name(one) === name(other) && one.value === other.value;
}
