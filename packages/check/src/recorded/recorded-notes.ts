import { headerOf } from '../judgement/conformance.ts';
import type { Match } from './match-operation.ts';
import type { RecordedExchange } from './recorded-exchange.ts';

const MAX_NAMES = 10;
// A service may be asked for any number of unknown paths.
const MAX_KEPT = 1_000;
const AND = new Intl.ListFormat('en-GB');

/** Counts how often each of some texts occurs. */
export class Tallies {
  readonly #counts = new Map<string, number>();

  add(text: string): void {
    const count = this.#counts.get(text);
    if (count !== undefined || this.#counts.size < MAX_KEPT) this.#counts.set(text, (count ?? 0) + 1);
  }

  get size(): number {
    return this.#counts.size;
  }

  /** Lists the most frequent texts with their counts. */
  list(): readonly string[] {
    const sorted = [...this.#counts].sort(([, one], [, other]) => other - one);
    const more = sorted.length - MAX_NAMES;
    const lines = sorted.slice(0, MAX_NAMES).map(([text, count]) => `${text} (${String(count)})`);
    return more > 0 ? [...lines, `${String(more)} more`] : lines;
  }
}

/** Returns why an exchange says nothing about the document; `undefined` when it can be judged. */
export function reasonToSkip(match: Match | undefined, { request, response }: RecordedExchange): string | undefined {
  const requestHeaders = request.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  if (request.method === 'OPTIONS' && match?.hasMethod !== true) return 'OPTIONS requests, such as CORS preflights';
  if (response === undefined) return undefined;
  const { status } = response;
  if (status === 101) return 'connections that switch to another protocol';
  if (status === 304) return 'responses with status 304: the client has the body';
  // Chrome records a redirect of its own, such as that to https, as a response.
  if (headerOf(response, 'non-authoritative-reason') !== undefined) return 'redirects of the browser itself';
  const isPartial = headerOf({ headers: requestHeaders }, 'range') !== undefined && (status === 206 || status === 416);
  return isPartial ? 'ranges of a body' : undefined;
}

/** Describes a request that no operation is for. */
export function describeUnmatched(match: Match | undefined, { request, response }: RecordedExchange): string {
  const [path = ''] = request.target.split('?');
  const subject = match === undefined ? path : match.path;
  const answer = response === undefined ? '' : ` got ${String(response.status)}`;
  return `${request.method} ${subject}${answer}`;
}

/** Describes the statuses of rejections that the document does not describe. */
export function describeStatuses(statuses: ReadonlySet<number>): string {
  const list = AND.format([...statuses].sort((one, other) => one - other).map(String));
  return `responds ${list}, which the document does not describe`;
}
