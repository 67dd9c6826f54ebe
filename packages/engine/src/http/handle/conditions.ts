import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { findResponseKey, type Operation, type ResourceState } from '@contract-first/contract';
import { Failure } from '../failure.ts';
import { isStreamable, openStream } from '../reply/body-stream.ts';
import type { AnyReply } from '../reply/response.ts';
import { sliceBody } from './range.ts';

/** The conditions that an operation documents for its requests (RFC 9110, 13). */
export type Conditions = {
  /** Refuses a change without a precondition, if the operation documents 428. @throws {Failure} 428 */
  readonly require: (req: IncomingMessage) => void;
  /** Replaces the reply to a read by 304 or 206. @throws {Failure} 412 or 416 */
  readonly apply: (req: IncomingMessage, reply: AnyReply) => AnyReply;
};

const PRECONDITIONS = ['if-match', 'if-none-match', 'if-unmodified-since'] as const;
// RFC 9110, 15.4.5.
const KEPT = ['cache-control', 'content-location', 'date', 'etag', 'expires', 'last-modified', 'vary'];

/** Returns the conditions of an operation; `undefined` if it documents none. */
export function conditionsOf(operation: Operation): Conditions | undefined {
  const { method, responses, schemas } = operation;
  const isDocumented = (status: number): boolean => findResponseKey(operation, status) !== undefined;
  const hasNotModified = responses['304'] !== undefined || responses['3XX'] !== undefined;
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead) {
    if (responses['428'] === undefined) return undefined;
    return { require: requirePrecondition, apply: (_req, reply) => reply };
  }
  const documented = Object.entries(schemas.responses).flatMap(([key, { headers }]) =>
    key.startsWith('2') ? Object.keys(headers?.['properties'] ?? {}) : [],
  );
  const hasState = documented.includes('etag') || documented.includes('last-modified');
  const hasRanges = responses['206'] !== undefined;
  if (!hasState && !hasRanges) return undefined;
  return {
    require: () => undefined,
    apply(req, reply) {
      if (reply.status !== 200) return reply;
      const state = stateOf(reply);
      const outcome = hasState ? evaluateConditions(req.headers, state, true) : undefined;
      if (outcome === 412 && isDocumented(412)) throw preconditionFailure();
      if (outcome === 304 && hasNotModified) return notModified(reply);
      if (!hasRanges) return reply;
      const isStale = req.headers['if-range'] !== undefined && !isSameState(String(req.headers['if-range']), state);
      return sliceBody(reply, isStale || req.method === 'HEAD' ? undefined : req.headers.range, isDocumented(416));
    },
  };
}

function requirePrecondition({ headers }: IncomingMessage): void {
  if (PRECONDITIONS.every((name) => headers[name] === undefined))
    throw new Failure(428, 'send the ETag of the resource in If-Match, so that no other change is lost');
}

/**
 * Evaluates the preconditions of a request in the order of RFC 9110, 13.2.2.
 *
 * @param state the state of the resource; `undefined` if it does not exist
 * @param isRead whether the request reads, so that an unchanged resource is a 304
 * @returns `undefined` if the preconditions hold
 */
export function evaluateConditions(
  headers: IncomingHttpHeaders,
  state: ResourceState | undefined,
  isRead: boolean,
): 304 | 412 | undefined {
  const modifiedAt = toSeconds(state?.lastModified);
  const dateOf = (name: 'if-unmodified-since' | 'if-modified-since'): number => toSeconds(headers[name]);
  const match = headers['if-match'];
  if (match !== undefined) {
    const isStrong = (tag: string): boolean => tag === state?.etag && !tag.startsWith('W/');
    if (match.trim() === '*' ? state === undefined : !tagsOf(match).some(isStrong)) return 412;
  } else if (modifiedAt > dateOf('if-unmodified-since')) return 412;
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) {
    const isWeak = (tag: string): boolean => state?.etag !== undefined && opaqueOf(tag) === opaqueOf(state.etag);
    const isMatched = noneMatch.trim() === '*' ? state !== undefined : tagsOf(noneMatch).some(isWeak);
    return isMatched ? (isRead ? 304 : 412) : undefined;
  }
  return isRead && modifiedAt <= dateOf('if-modified-since') ? 304 : undefined;
}

/** Returns the 412 for a resource that has another state. */
export function preconditionFailure(): Failure {
  return new Failure(412, 'the resource has changed: read it again, and send its ETag in If-Match');
}

/** Lists the entity tags of a field. */
function tagsOf(field: string): readonly string[] {
  return field.match(/(?:W\/)?"[\x21\x23-\x7E\x80-\xFF]*"/g) ?? [];
}

function opaqueOf(tag: string): string {
  return tag.replace(/^W\//, '');
}

/** Returns a date in seconds, the precision of HTTP; NaN if it is missing or malformed, which no comparison accepts. */
function toSeconds(date: Date | string | undefined): number {
  if (date instanceof Date) return Math.floor(date.getTime() / 1_000);
  return !date?.endsWith(' GMT') ? NaN : Math.floor(Date.parse(date) / 1_000);
}

/** Returns whether `If-Range` names the state (RFC 9110, 13.1.5). */
function isSameState(field: string, { etag, lastModified }: ResourceState): boolean {
  if (field.includes('"')) return field === etag && !field.startsWith('W/');
  return toSeconds(field) === toSeconds(lastModified);
}

/** Returns the state that the headers of a reply name. */
function stateOf({ headers = {} }: AnyReply): ResourceState {
  const valueOf = (wanted: string): unknown =>
    Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
  const [etag, lastModified] = [valueOf('etag'), valueOf('last-modified')];
  return {
    ...(typeof etag === 'string' && { etag }),
    ...((typeof lastModified === 'string' || lastModified instanceof Date) && { lastModified }),
  };
}

/** Returns the 304 for a reply. Closes its body. */
function notModified({ headers = {}, body }: AnyReply): AnyReply {
  if (isStreamable(body)) openStream(body, () => '').cancel();
  const kept = Object.entries(headers).filter(([name]) => KEPT.includes(name.toLowerCase()));
  return { status: 304, headers: Object.fromEntries(kept) };
}
