import { createHash, hash } from 'node:crypto';
import {
  equalityKey,
  idempotencyKeyOf,
  NotImplemented,
  placeOf,
  type Contract,
  type SourceDigits,
} from '@contract-first/contract';
import type { Exchange, RespondOnce, Step } from '../exchange.ts';
import { Failure, malformedFailure, RETRY_AFTER } from '../failure.ts';
import { isBodyStream, type BodyStream } from '../reply/body-stream.ts';
import type { HandlerResponse, HeaderFields } from '../reply/response.ts';
import type { CompiledOperation } from '../compiled-operation.ts';
import { conforms } from './validate-request.ts';

/**
 * Runs work once for each key, in one transaction with the record of its result. Writes of the work are parts of the
 * transaction. The work may run again after a conflict with another transaction.
 *
 * @returns the result of the work, or of earlier work with the key; `undefined` while the work runs elsewhere
 * @throws the error that `work` throws; nothing was written
 */
export type Once = (key: string, work: () => Promise<string>) => Promise<string | undefined>;

export type IdempotencyOptions = {
  readonly contract: Contract;
  /** `undefined`: the header is not implemented; `'handlers'`: the handlers implement it. */
  readonly once: Once | 'handlers' | undefined;
};

const FIELD = 'Idempotency-Key';
const MAX_BODY_BYTES = 1_048_576;
/** A string of structured fields, and its parameters, which are ignored (RFC 9651, 4.2.3). */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)" *(?:;.*)?$/;

/**
 * Creates the step that reads the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header) after the body.
 * The step fails with 400 for an invalid key.
 *
 * @returns `undefined` if the operation does not document the header, or its handler implements it
 */
export function createIdempotencyStep(
  compiled: CompiledOperation,
  { contract, once }: IdempotencyOptions,
): Step | undefined {
  const { operation } = compiled;
  const name = idempotencyKeyOf(operation)?.name;
  if (name === undefined || once === 'handlers') return undefined;
  // Neither the title nor the version, since keys must survive an edit of the document.
  const scope = [contract.basePaths, operation.operationId];
  return (exchange) => {
    if (exchange.req.headers['idempotency-key'] === undefined) return undefined;
    if (once === undefined) throw new NotImplemented(`the header ${name} of ${operation.operationId}`);
    const text = readKey(name, exchange.req.headersDistinct['idempotency-key'] ?? []);
    const { caller } = exchange;
    const key = hash('sha256', JSON.stringify([...scope, caller?.scheme, caller?.name, text]), 'base64url');
    const fingerprint = fingerprintOf(exchange); // Before `acceptQuoted`, since validation inserts defaults.
    acceptQuoted(exchange, compiled, name, text);
    if (fingerprint instanceof Promise)
      return fingerprint.then((hashed) => void (exchange.respondOnce = createRespondOnce(exchange, once, key, hashed)));
    exchange.respondOnce = createRespondOnce(exchange, once, key, fingerprint);
    return undefined;
  };
}

/** Returns the key in the fields of the header, which may lack the quotes. @throws {Failure} 400 for an invalid key */
function readKey(name: string, [sent = '', ...others]: readonly string[]): string {
  const key = QUOTED.exec(sent)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? sent;
  const problem = others.length > 0 ? 'must not be repeated' : key === '' ? 'must not be empty' : undefined;
  if (problem !== undefined) throw malformedFailure(placeOf('header', name), problem, `header parameter ${name}`);
  return key;
}

/** Removes the quotes of a key if the document does not accept them, as with `format: uuid`. */
function acceptQuoted({ parameters, body }: Exchange, compiled: CompiledOperation, name: string, key: string): void {
  const { header } = parameters.values;
  if (header[name] === undefined || header[name] === key || conforms(compiled, parameters, body)) return;
  header[name] = key;
}

/**
 * Returns the fingerprint of a request: of its path parameters, query and body. Headers do not count, since a repeated
 * request may have others, such as for tracing.
 */
function fingerprintOf({ parameters, body }: Exchange): string | Promise<string> {
  if (body instanceof Failure) return ''; // The request will be rejected.
  const { values, sourceDigits } = parameters;
  const files = [...(body?.files ?? [])];
  const blobs = files.flatMap(([, list]) => list) as Blob[];
  const content = body?.root[''];
  if (content instanceof Blob) blobs.push(content);
  const text = JSON.stringify([
    keyOf(values.path, sourceDigits),
    keyOf(values.query, sourceDigits),
    body?.mediaType,
    body && !(content instanceof Blob) && keyOf(body.root, body.sourceDigits),
    files.map(([name, list]) => [name, list.length]),
  ]);
  return blobs.length === 0 ? hash('sha256', text, 'base64url') : hashBlobs(text, blobs);
}

/** Returns a key that is the same for equal values in JSON. */
function keyOf(value: object, digits: SourceDigits): unknown {
  return equalityKey(value, undefined, (holder, key) => digits.get(holder, key));
}

async function hashBlobs(text: string, blobs: readonly Blob[]): Promise<string> {
  const hashed = createHash('sha256').update(text);
  for (const blob of blobs) {
    hashed.update(JSON.stringify([blob.size, blob.type, blob instanceof File ? blob.name : '']));
    // A Blob is a stream of bytes.
    for await (const chunk of blob.stream() as AsyncIterable<Uint8Array>) hashed.update(chunk);
  }
  return hashed.digest('base64url');
}

/** The stored form of a response. The body is text, or bytes in base64. */
type Kept = {
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: HeaderFields;
  readonly isNegotiated: boolean;
  readonly text?: string;
  readonly base64?: string;
};

function createRespondOnce(exchange: Exchange, once: Once, key: string, fingerprint: string): RespondOnce {
  return async (respond) => {
    let result: string | undefined;
    try {
      result = await once(key, async () => {
        const kept = await keep(await respond());
        return JSON.stringify({ fingerprint, isNegotiated: exchange.isNegotiated, ...kept });
      });
    } catch (error) {
      if (error instanceof NotKept) return error.response;
      throw error;
    }
    if (result === undefined)
      throw new Failure(409, `a request with this ${FIELD} is in progress; try again`, RETRY_AFTER);
    const { fingerprint: first, status, headers, isNegotiated, text, base64 } = JSON.parse(result) as Kept; // Written above.
    if (first !== fingerprint) throw new Failure(422, `this ${FIELD} was used with another request`);
    exchange.isNegotiated ||= isNegotiated;
    return { status, headers, body: base64 === undefined ? text : Buffer.from(base64, 'base64') };
  };
}

/** Undoes the writes of a handler, and carries its response, which is not kept. */
class NotKept extends Error {
  readonly response: HandlerResponse;

  constructor(response: HandlerResponse) {
    super('the response is not kept');
    this.response = response;
  }
}

/** Returns the parts of a response to keep. @throws {NotKept} for a 5xx */
async function keep(response: HandlerResponse): Promise<Omit<Kept, 'fingerprint' | 'isNegotiated'>> {
  const { status, headers, body } = response;
  if (status >= 500) throw new NotKept(response);
  if (body === undefined) return { status, headers };
  const whole = isBodyStream(body) ? await readWhole(body) : body;
  if (Buffer.byteLength(whole) > MAX_BODY_BYTES) throw tooLarge();
  if (typeof whole === 'string') return { status, headers, text: whole };
  return { status, headers, base64: Buffer.from(whole).toString('base64') };
}

async function readWhole(body: BodyStream): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for (let next = await body.next(); next.done !== true; next = await body.next()) {
      const chunk = Buffer.from(next.value);
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    body.cancel();
    throw error;
  }
  return Buffer.concat(chunks);
}

function tooLarge(): Error {
  return new Error(`a response to a request with ${FIELD} must not be larger than ${String(MAX_BODY_BYTES)} bytes`);
}
