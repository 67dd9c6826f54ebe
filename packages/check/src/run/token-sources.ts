import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Tls } from '@contract-first/command-line/options';
import {
  type Connection,
  NoResponse,
  openConnection,
  percentEncode,
  type WireRequest,
  type WireResponse,
} from '@contract-first/model/requests';
import { CannotCheck, type Json } from '@contract-first/model/values';

/** The credentials of an OAuth 2.0 client. */
export type OAuthClient = { readonly id: string; readonly secret: string };

const LIMIT_MS = 30_000;

/** Creates a function that runs a shell command and returns the token it prints. */
export function tokenOfCommand(command: string): FetchToken {
  return async () => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'], timeout: LIMIT_MS });
    const closed = once(child, 'close') as Promise<[number | null]>; // The exit code; null after a signal.
    const [output, [code]] = await Promise.all([text(child.stdout), closed]);
    if (code !== 0)
      throw new CannotCheck(`--token-command failed: exit code ${String(code ?? 'none, as it was killed')}`);
    return asToken(output.trim(), '--token-command must print a token: one line of ASCII without spaces');
  };
}

/** Creates a function that fetches a token with client credentials (RFC 6749, 4.4). */
export function tokenOfClient(
  tokenUrl: URL,
  { id, secret }: OAuthClient,
  scopes: readonly string[],
  tls: Tls | undefined,
): FetchToken {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scopes.length > 0) form.set('scope', scopes.join(' '));
  const pair = [id, secret].map((part) => new URLSearchParams([[part, '']]).toString().slice(0, -1)).join(':');
  const request = {
    method: 'POST',
    target: tokenUrl.pathname + tokenUrl.search,
    headers: [
      ['Authorization', `Basic ${Buffer.from(pair).toString('base64')}`],
      ['Accept', 'application/json'],
      ['Content-Type', 'application/x-www-form-urlencoded;charset=UTF-8'],
    ] as const,
    body: Buffer.from(form.toString()),
  };
  return async () => {
    const connection = openConnection(tokenUrl, { tls });
    try {
      const response = await connection.send(request);
      const { access_token: token, error } = Object(jsonOf(response)) as { access_token?: unknown; error?: unknown }; // Any value.
      const code = typeof error === 'string' && /^[a-z_]+$/.test(error) ? ` (${error})` : ''; // RFC 6749, 5.2.
      return asToken(token, `${tokenUrl.href} gives no token: status ${String(response.status)}${code}`);
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      throw new CannotCheck(`${tokenUrl.href} gives no token: ${error.problem ?? error.message}`, { cause: error });
    } finally {
      connection.close();
    }
  };
}

/** Parses a JSON response. Returns `undefined` for other responses. */
export function jsonOf({ body }: WireResponse): Json | undefined {
  try {
    return JSON.parse(body.toString()) as Json;
  } catch {
    return undefined;
  }
}

/** Returns a value as a token. @throws {CannotCheck} with the problem when the value is not a token */
export function asToken(value: unknown, problem: string): string {
  if (typeof value === 'string' && /^[!-~]+$/.test(value)) return value;
  throw new CannotCheck(problem);
}

/** Fetches a token. @throws {CannotCheck} with the reason */
export type FetchToken = () => Promise<string>;

/** A token that is renewed when it has expired. */
export type RenewableToken = {
  readonly current: () => string;
  /**
   * Sends a request, and replaces expired tokens by the current token. If the server accepted the current token before
   * and now answers 401, renews the token and sends the request again.
   *
   * @param subject a key for requests of the same kind; if a request with a new token also gets 401, later requests
   *   with this key do not renew the token
   */
  readonly send: (request: WireRequest, subject: string, send: Connection['send']) => Promise<WireResponse>;
};

const UNAUTHORIZED = 401;

/**
 * Fetches a token that all workers share.
 *
 * @param onProblem receives the reason if the token cannot be renewed; the 401 is then returned
 * @throws {CannotCheck} if the first token cannot be fetched
 */
export async function createRenewableToken(
  fetchToken: FetchToken,
  onProblem: (problem: string) => void,
): Promise<RenewableToken> {
  let current = await fetchToken();
  const expired: string[] = [];
  let isAccepted = false;
  const refusing = new Set<string>();
  let renewal: Promise<void> | undefined;
  return { current: () => current, send };

  async function send(request: WireRequest, subject: string, sendWith: Connection['send']): Promise<WireResponse> {
    const token = current;
    const sent = update(request);
    const response = await sendWith(sent);
    if (!has(sent, token)) return response;
    if (response.status !== UNAUTHORIZED) {
      if (token === current) isAccepted = true;
      refusing.delete(subject);
      return response;
    }
    if (token === current && isAccepted && !refusing.has(subject)) await (renewal ??= renew());
    if (token === current) return response;
    const again = await sendWith(update(sent));
    if (again.status === UNAUTHORIZED) refusing.add(subject);
    else isAccepted = true;
    return again;
  }

  async function renew(): Promise<void> {
    try {
      const token = await fetchToken();
      if (token !== current) expired.push(current);
      current = token;
    } catch (error) {
      if (!(error instanceof CannotCheck)) throw error;
      onProblem(`the token was not fetched again: ${error.message}`);
    } finally {
      isAccepted = false;
      renewal = undefined;
    }
  }

  function update(request: WireRequest): WireRequest {
    return expired.reduce((other, token) => replace(other, token, current), request);
  }
}

function has({ target, headers }: WireRequest, token: string): boolean {
  const texts = [target, ...headers.map(([, value]) => value)];
  return texts.some((text) => text.includes(token) || text.includes(percentEncode(token)));
}

function replace(request: WireRequest, token: string, other: string): WireRequest {
  const change = (text: string): string =>
    text.replaceAll(percentEncode(token), () => percentEncode(other)).replaceAll(token, () => other);
  const { target, headers } = request;
  return {
    ...request,
    target: change(target),
    headers: headers.map(([name, value]) => [name, change(value)] as const),
  };
}
