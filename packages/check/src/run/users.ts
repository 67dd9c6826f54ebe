import type { Secret } from '@contract-first/command-line/options';
import type { Document, OpenApiDocument } from '@contract-first/documents';
import type { ApiOperation, SecurityScheme } from '@contract-first/model/operations';
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
import {
  type Client,
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
  readonly client?: Client | undefined;
  /** The second user's token. Schemes without a token for the second user use the first user's token. */
  readonly otherToken?: string | undefined;
  readonly otherCredentials?: ReadonlyMap<string, string> | undefined;
};

/** The users of a run. */
export type Users = {
  /** The tokens of the first user. */
  readonly tokens: Tokens;
  /** The tokens of the second user; `undefined` without a second user. */
  readonly otherTokens: Tokens | undefined;
  /** Sends a request of the first user, and renews expired tokens. @throws {NoResponse} */
  readonly send: (request: WireRequest, subject: string) => Promise<WireResponse>;
};

/** Removes security requirements that the first user does not meet. Keeps all of them if the user meets none. */
export function withMetSecurity(operation: ApiOperation, options: UserOptions): ApiOperation {
  const met = metRequirements(operation, options);
  const fitting = met.filter((requirement) => requirement.every((scheme) => fits(scheme, options)));
  const security = fitting.some((requirement) => requirement.length > 0) ? fitting : met;
  return security.length === 0 ? operation : { ...operation, security };
}

/** Returns whether the token for all schemes fits a scheme. `user:password` fits only Basic authentication. */
function fits(scheme: SecurityScheme, { token, credentials }: UserOptions): boolean {
  if (token === undefined || credentials?.has(scheme.id) === true) return true;
  return token.includes(':') === (authorizationScheme(scheme) === 'Basic');
}

/** Returns whether the first user has the credentials for an operation. */
export function isPermitted(operation: ApiOperation, options: UserOptions): boolean {
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
  const { token, credentials, tokenCommand, client } = options;
  const isForAll = token !== undefined || tokenCommand !== undefined;
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
  { token, credentials = new Map(), tokenCommand, client, otherToken, otherCredentials = new Map() }: UserOptions,
  operations: readonly ApiOperation[],
  {
    baseUrl,
    connection,
    onSecret,
    onProblem,
  }: {
    readonly baseUrl: URL;
    readonly connection: Connection;
    readonly onSecret: (secret: Secret) => void;
    readonly onProblem: (problem: string) => void;
  },
): Promise<Users> {
  const schemes = operations.flatMap(({ security }) => security.flat()).filter(({ id }) => !credentials.has(id));
  const isOfClient = (scheme: SecurityScheme): boolean => client !== undefined && tokenUrlOf(scheme) !== undefined;
  const byUrl = new Map<string | undefined, RenewableToken>();
  if (client !== undefined)
    for (const [url, all] of Map.groupBy(schemes.filter(isOfClient), tokenUrlOf)) {
      const scopes = new Set(all.flatMap((scheme) => scheme.scopes));
      byUrl.set(url, await open(tokenOfClient(urlOf(url, baseUrl), client, [...scopes])));
    }
  const isCommandNeeded = schemes.some((scheme) => !isOfClient(scheme));
  const ofCommand =
    tokenCommand === undefined || !isCommandNeeded ? undefined : await open(tokenOfCommand(tokenCommand));

  const tokens: Tokens = (scheme) => {
    const renewable = isOfClient(scheme) ? byUrl.get(tokenUrlOf(scheme)) : ofCommand;
    return credentials.get(scheme.id) ?? renewable?.current() ?? token;
  };
  const hasOther = otherToken !== undefined || otherCredentials.size > 0;
  const otherTokens: Tokens = (scheme) => otherCredentials.get(scheme.id) ?? otherToken ?? tokens(scheme);
  const all = operations.flatMap(({ security }) => security.flat());
  if (hasOther && all.length > 0 && all.every((scheme) => tokens(scheme) === otherTokens(scheme)))
    throw new CannotCheck('the second user has the credentials of the first one: give others with --other-token');
  const renewable = [...byUrl.values(), ...(ofCommand === undefined ? [] : [ofCommand])];
  return {
    tokens,
    otherTokens: hasOther ? otherTokens : undefined,
    send: (request, subject) =>
      renewable.reduce<Connection['send']>(
        (send, one) => (whole) => one.send(whole, subject, send),
        connection.send,
      )(request),
  };

  function open(fetchToken: FetchToken): Promise<RenewableToken> {
    const fetchSecret = async (): Promise<string> => {
      const value = await fetchToken();
      onSecret({ variable: 'TOKEN', value });
      return value;
    };
    return createRenewableToken(fetchSecret, onProblem);
  }
}

function tokenUrlOf({ flows }: SecurityScheme): string | undefined {
  return flows?.clientCredentials?.tokenUrl;
}

/** Resolves a token URL. @throws {CannotCheck} if it is not an http or https URL */
function urlOf(text = '', baseUrl: URL): URL {
  const url = URL.parse(text, baseUrl.href);
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new CannotCheck(`the document's tokenUrl ${text} is not an http or https URL`);
}
