import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TimeSlices } from '@contract-first/contract';
import { abortResponse, onDisconnect } from '../accept/disconnect.ts';
import { discard } from '../read/bytes.ts';
import type { BodyStream } from './body-stream.ts';
import { declaredLength, writeHead } from './head.ts';
import { withComments } from './keep-alive.ts';
import { isEventStream, type PreparedResponse } from './response.ts';
import { StreamOutput } from './stream-output.ts';

// A stream yields to others after this length. Yielding is rare, since data held meanwhile is garbage-collected late.
const TURN_LENGTH = 65_536;

/** Options for sending streams. */
export type StreamSending = {
  /** The time slices that all streams share. */
  readonly slices: TimeSlices;
  /** How long a stream stays open while its client reads nothing. */
  readonly stallTimeoutMs: number;
  /** The time after which a quiet stream of events gets a comment; 0 for none. */
  readonly eventStreamQuietMs: number;
};

/**
 * Sends a response while its body is produced.
 *
 * @returns whether the whole response was sent
 * @throws the error of the source
 */
export async function sendStream(
  req: IncomingMessage,
  res: ServerResponse,
  response: PreparedResponse<BodyStream>,
  sending: StreamSending,
): Promise<boolean> {
  const { body } = response;
  const isEvents = isEventStream(response.headers);
  // nginx would hold events back.
  const headers = isEvents ? { 'x-accel-buffering': 'no', ...response.headers } : response.headers;
  res.strictContentLength = true; // Throws for a wrong length, which would corrupt the next response.
  const length = body.createEncoder === undefined ? (body.sizeBytes ?? declaredLength(headers)) : undefined;
  if (!res.destroyed) writeHead(req, res, { ...response, headers }, length);
  if (!req.complete) void discard(req);
  if (req.method === 'HEAD') {
    body.cancel();
    res.end();
    return true;
  }
  if (!isEvents) return writeStream(req, res, body, sending);
  res.flushHeaders(); // The client waits for the header, not for the first event.
  return writeStream(req, res, withComments(body, sending.eventStreamQuietMs), sending);
}

/**
 * Writes a stream as the body of a response whose header has been written. Cancels the source when the client
 * disconnects or stalls. Closes the connection when the source fails, so that the client detects the incomplete body.
 *
 * @returns whether the body was sent completely
 * @throws the error of the source
 */
async function writeStream(
  req: IncomingMessage,
  res: ServerResponse,
  stream: BodyStream,
  { slices, stallTimeoutMs }: StreamSending,
): Promise<boolean> {
  const gone = Promise.withResolvers<false>();
  const output = new StreamOutput(res, stallTimeoutMs, gone.reject, stream.createEncoder?.());
  const endWatch = onDisconnect(req, res, () => {
    stream.cancel();
    abortResponse(res);
    output.wake();
    gone.resolve(false);
  });
  try {
    return await Promise.race([copy(stream, output, slices), gone.promise]); // The source may never settle.
  } catch (error) {
    stream.cancel();
    abortResponse(res);
    throw error;
  } finally {
    endWatch();
    output.release();
  }
}

/**
 * Copies a stream to the output, only as fast as the client reads, and in turns with other streams.
 *
 * @returns whether the body was sent completely
 * @throws the error of the source
 */
async function copy(stream: BodyStream, output: StreamOutput, slices: TimeSlices): Promise<boolean> {
  let turnLength = 0;
  while (!output.isClosed) {
    const result = await stream.next();
    if (result.done === true) return output.end();
    const { value } = result;
    if (value.length > TURN_LENGTH) await copyInPieces(value, output, slices);
    else output.write(value);
    if (output.isBlocked) await output.drained();
    turnLength += value.length;
    const isTurnOver = turnLength >= TURN_LENGTH;
    if (isTurnOver) turnLength = 0;
    const turn = slices.wait(isTurnOver);
    if (turn !== undefined) await turn;
  }
  return false;
}

/** Writes a large chunk in pieces, so that the progress of a slow client is visible. */
async function copyInPieces(chunk: string | Uint8Array, output: StreamOutput, slices: TimeSlices): Promise<void> {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  for (let start = 0; start < bytes.length && !output.isClosed; start += TURN_LENGTH) {
    output.write(bytes.subarray(start, start + TURN_LENGTH));
    if (output.isBlocked) await output.drained();
    await slices.wait(true);
  }
}
