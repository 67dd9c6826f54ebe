import type { Secret, Tls } from '@contract-first/command-line/options';
import type { Document, OpenApiDocument } from '@contract-first/documents';
import type { ApiOperation, ApiSecurityScheme } from '@contract-first/model/operations';
import {
  authorizationScheme,
  type Connection,
  coveredRequirements,
  isProtected,
  type Tokens,
  type WireRequest,
  type WireResponse,
} from '@contract-first/model/requests';
import { CannotCheck } from '@contract-first/model/values';
import { nameOperations } from '../judgement/failures.ts';
import type { GivenValue } from './selection.ts';
import { findValidValues, type SignedUser, type SignInOperations, signInUser } from './sign-in.ts';
import {
  type OAuthClient,
  createRenewableToken,
  type FetchToken,
  type RenewableToken,
  tokenOfClient,
  tokenOfCommand,
} from './token-sources.ts';

/** The credentials of the users. */
export type UserOptions = {
  /** The token for all security schemes: a bearer token, an API key, a password or `user:password`. */
  readonly token?: string | undefined;
  /** The tokens for single security schemes, by scheme name. */
  readonly credentials?: ReadonlyMap<string, string> | undefined;
  /** A shell command that prints a token. */
  readonly tokenCommand?: string | undefined;
  /** The client for the document's `clientCredentials` flow. */
  readonly client?: OAuthClient | undefined;
  /** The second user's token. Schemes without a token for the second user use the first user's token. */
  readonly otherToken?: string | undefined;
  readonly otherCredentials?: ReadonlyMap<string, string> | undefined;
  /** Signs in the users that have no other credentials. */
  readonly signIn?: SignInOperations | undefined;
};

/** The users of a run. */
export type Users = {
  /** The tokens of the first user. */
  readonly tokens: Tokens;
  /** The tokens of the second user; `undefined` without a second user. */
  readonly otherTokens: Tokens | undefined;
  /** The values of the first user that are valid in requests which sign in. */
  readonly values: readonly GivenValue[];
  /** Sends a request of the first user, and renews expired tokens. @throws {NoResponse} */
  readonly send: (request: WireRequest, subject: string, send: Connection['send']) => Promise<WireResponse>;
};

/**
 * Removes security requirements that the first user does not meet. If the user meets no requirement, keeps all
 * requirements.
 */
export function withSatisfiedSecurity(operation: ApiOperation, options: UserOptions): ApiOperation {
  const met = metRequirements(operation, options);
  const fitting = met.filter((requirement) => requirement.every((scheme) => fits(scheme, options)));
  const security = fitting.some((requirement) => requirement.length > 0) ? fitting : met;
  return security.length === 0 ? operation : { ...operation, security, documentedSecurity: operation.security };
}

/** Returns whether the token for all schemes fits a scheme. `user:password` fits only Basic authentication. */
function fits(scheme: ApiSecurityScheme, { token, credentials }: UserOptions): boolean {
  if (token === undefined || credentials?.has(scheme.id) === true) return true;
  return token.includes(':') === (authorizationScheme(scheme) === 'Basic');
}

/** Returns whether the first user has the credentials for an operation. */
export function hasCredentialsFor(operation: ApiOperation, options: UserOptions): boolean {
  return !isProtected(operation) || metRequirements(operation, options).length > 0;
}

/** Describes the missing credentials of operations. Returns `undefined` without operations. */
export function describeNeed(operations: readonly ApiOperation[], { credentials }: UserOptions): string | undefined {
  if (operations.length === 0) return undefined;
  const need = `${nameOperations(operations.map(({ operationId }) => operationId))} need${operations.length === 1 ? 's' : ''}`;
  if (credentials === undefined || credentials.size === 0) return `${need} a token: CONTRACT_TOKEN or --token`;
  const requirements = operations.flatMap(({ security }) =>
    security.map((requirement) => requirement.map(({ id }) => id).join(' and ')),
  );
  return `${need} credentials: --credential for ${[...new Set(requirements)].join(' or ')}, or --token for all`;
}

function metRequirements(operation: ApiOperation, options: UserOptions): ApiOperation['security'] {
  const { token, credentials, tokenCommand, client, signIn } = options;
  const isForAll = token !== undefined || tokenCommand !== undefined || signIn !== undefined;
  return coveredRequirements(
    operation,
    (scheme) =>
      isForAll || credentials?.has(scheme.id) === true || (client !== undefined && tokenUrlOf(scheme) !== undefined),
  );
}

/** Checks that each security scheme with a token exists. @throws {CannotCheck} with the unknown schemes */
export function assertSchemes(document: OpenApiDocument, { credentials, otherCredentials }: UserOptions): void {
  const { securitySchemes = {} } = (document as Document).components ?? {}; // Validated document.
  const known = Object.keys(securitySchemes);
  const unknown = [...(credentials?.keys() ?? []), ...(otherCredentials?.keys() ?? [])].filter(
    (id) => !known.includes(id),
  );
  if (unknown.length > 0)
    throw new CannotCheck(
      `unknown security scheme ${unknown.join(', ')}; the document has ${known.join(', ') || 'none'}`,
    );
}

/**
 * Fetches the tokens that the operations need.
 *
 * @param onSecret receives each fetched token
 * @param onProblem receives the reason if a token cannot be renewed
 * @throws {CannotCheck} if a token cannot be fetched
 */
export async function openUsers(
  { token, credentials = new Map(), tokenCommand, client, signIn, ...others }: UserOptions,
  operations: readonly ApiOperation[],
  {
    documented,
    baseUrl,
    connection,
    tls,
    onSecret,
    onProblem,
  }: {
    /** All operations of the document. */
    readonly documented: readonly ApiOperation[];
    readonly baseUrl: URL;
    readonly connection: Connection;
    readonly tls: Tls | undefined;
    readonly onSecret: (secret: Secret) => void;
    readonly onProblem: (problem: string) => void;
  },
): Promise<Users> {
  const schemes = operations.flatMap(({ security }) => security.flat()).filter(({ id }) => !credentials.has(id));
  const isOfClient = (scheme: ApiSecurityScheme): boolean => client !== undefined && tokenUrlOf(scheme) !== undefined;
  const byUrl = new Map<string | undefined, RenewableToken>();
  if (client !== undefined)
    for (const [url, all] of Map.groupBy(schemes.filter(isOfClient), tokenUrlOf)) {
      const scopes = new Set(all.flatMap((scheme) => scheme.scopes));
      byUrl.set(url, await open(tokenOfClient(urlOf(url, baseUrl), client, [...scopes], tls)));
    }
  const isCommandNeeded = schemes.some((scheme) => !isOfClient(scheme));
  const ofCommand =
    tokenCommand === undefined || !isCommandNeeded ? undefined : await open(tokenOfCommand(tokenCommand));

  const [first, second, third = first] = signIn?.users ?? [];
  const isSignedIn = first !== undefined && token === undefined && tokenCommand === undefined;
  const ofUser = isSignedIn ? await createRenewableToken(() => signInAs(first, 'TOKEN'), onProblem) : undefined;
  const {
    otherToken = second && (await signInAs(second, 'OTHER_TOKEN')),
    otherCredentials = new Map<string, string>(),
  } = others;
  // The run may change the first user, so the values come from a separate user.
  const values = signIn && third ? await findValidValues(signIn, third(), documented, connection.send) : [];

  const tokens: Tokens = (scheme) => {
    const renewable = isOfClient(scheme) ? byUrl.get(tokenUrlOf(scheme)) : (ofCommand ?? ofUser);
    return credentials.get(scheme.id) ?? renewable?.current() ?? token;
  };
  const hasOther = otherToken !== undefined || otherCredentials.size > 0;
  const otherTokens: Tokens = (scheme) => otherCredentials.get(scheme.id) ?? otherToken ?? tokens(scheme);
  const all = operations.flatMap(({ security }) => security.flat());
  if (hasOther && all.length > 0 && all.every((scheme) => tokens(scheme) === otherTokens(scheme)))
    throw new CannotCheck(
      'the second user has the credentials of the first user: set other credentials with --other-token',
    );
  const renewable = [...byUrl.values(), ...[ofCommand, ofUser].filter((one) => one !== undefined)];
  return {
    tokens,
    values,
    otherTokens: hasOther ? otherTokens : undefined,
    send: (request, subject, sendWith) =>
      renewable.reduce((send, one) => (whole) => one.send(whole, subject, send), sendWith)(request),
  };

  /** Signs in a user. Returns the credentials. */
  async function signInAs(user: SignedUser, variable: string): Promise<string> {
    if (signIn === undefined) throw new Error('there is no sign-in');
    const { credentials, secrets } = await signInUser(signIn, user(), documented, connection.send);
    for (const value of secrets) onSecret({ variable, value });
    return credentials;
  }

  function open(fetchToken: FetchToken): Promise<RenewableToken> {
    const fetchSecret = async (): Promise<string> => {
      const value = await fetchToken();
      onSecret({ variable: 'TOKEN', value });
      return value;
    };
    return createRenewableToken(fetchSecret, onProblem);
  }
}

function tokenUrlOf({ flows }: ApiSecurityScheme): string | undefined {
  return flows?.clientCredentials?.tokenUrl;
}

/** Resolves a token URL. @throws {CannotCheck} if it is not an http or https URL */
function urlOf(text = '', baseUrl: URL): URL {
  const url = URL.parse(text, baseUrl.href);
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new CannotCheck(`the document's tokenUrl ${text} is not an http or https URL`);
}
