import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Schema } from '../contract/contract.ts';
import { isInt64 } from '../contract/int64.ts';
import { stringifyJson } from '../contract/json.ts';
import type { Operation } from '../contract/operation.ts';
import { BrokenContract, type OperationValidator } from '../contract/validator.ts';
import type { Failure } from './failure.ts';

/** An answer ready to be sent. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** What a handler returned, as far as the writer cares. */
export type AnyReply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

// How long a client that is still sending its body may go on, so that it sees the answer instead of a reset.
const LINGER_MS = 1_500;

/**
 * Turns a reply into an answer, once the document allows it.
 *
 * @throws {BrokenContract} when the document has no such status for the operation, or another body for it
 */
export function answerReply(operation: Operation, validator: OperationValidator, reply: AnyReply): Answer {
  const { status, headers = {}, body } = reply;
  const { responses, operationId } = operation;
  const documented = responses[status] ?? responses[`${String(status).charAt(0)}XX`] ?? responses['default'];
  if (documented === undefined) throw new BrokenContract(`${operationId}: status ${String(status)} is not documented`);
  const [mediaType] = documented;
  validator.response(status, mediaType, withoutBigints(body));
  return answerJson(status, headers, mediaType, body);
}

/** The answer to a failure. Its body is the contract's Error. */
export function answerFailure({ status, message, headers }: Failure): Answer {
  const body: Schema<'Error'> = { error: status, message };
  return answerJson(status, headers, 'application/json', body);
}

/** Sends an answer. This is the only place that writes to a response. */
export function send(req: IncomingMessage, res: ServerResponse, { status, headers, body }: Answer): void {
  if (res.headersSent || res.destroyed) return;
  if (!req.complete) discardRest(req);
  res.writeHead(status, { ...headers, 'Content-Length': body === undefined ? 0 : Buffer.byteLength(body) });
  res.end(body);
}

function answerJson(
  status: number,
  headers: Readonly<Record<string, string>>,
  mediaType: string | undefined,
  body: unknown,
): Answer {
  if (mediaType === undefined) return { status, headers, body: undefined };
  return { status, headers: { ...headers, 'Content-Type': mediaType }, body: stringifyJson(body) };
}

/** The value as the validator knows numbers. Only a value that has a bigint is copied. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') {
    if (!isInt64(value)) throw new BrokenContract(`${String(value)} is not an int64`);
    return Number(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const converted = entries.map(([key, member]) => [key, withoutBigints(member)] as const);
  if (converted.every(([, member], index) => member === entries[index]?.[1])) return value;
  return Array.isArray(value) ? converted.map(([, member]) => member) : Object.fromEntries(converted);
}

function discardRest(req: IncomingMessage): void {
  const timer = setTimeout(() => req.socket.destroy(), LINGER_MS).unref();
  req.once('close', () => {
    clearTimeout(timer);
  });
  req.resume();
}
