import { CannotCheck } from '@contract-first/model/values';
import { type Connection, percentEncode, type WireRequest, type WireResponse } from '@contract-first/model/requests';

/** Fetches a token. @throws {CannotCheck} with the reason */
export type FetchToken = () => Promise<string>;

/** A token that is fetched again when it has expired. */
export type RenewableToken = {
  readonly current: () => string;
  /**
   * Sends a request with the current token in place of an expired one; once more with a new token when the server has
   * accepted the token before, and now answers 401.
   *
   * @param subject names requests for which a 401 has the same meaning: if they get it with a new token, it has not expired
   */
  readonly send: (request: WireRequest, subject: string, send: Connection['send']) => Promise<WireResponse>;
};

const UNAUTHORIZED = 401;

/**
 * Fetches a token, which all workers share.
 *
 * @param onProblem receives the reason when it cannot be fetched again; the 401 stands then
 * @throws {CannotCheck} when it cannot be fetched
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
