import { nextTick } from 'node:process';
import { setImmediate } from 'node:timers/promises';
import type { TimeSlices } from '@contract-first/contract';
import type { Logger } from 'pino';
import type { Exchange } from '../exchange.ts';
import { unexpectedFailure } from '../failure.ts';
import type { Observer } from '../observer.ts';
import { isBodyStream, type BodyStream } from './body-stream.ts';
import type { FailureResponse } from './failure-response.ts';
import { logError, reportOutcome } from './report.ts';
import type { PreparedResponse } from './response.ts';
import { send, sendFailure } from './send.ts';
import { sendStream } from './send-stream.ts';

export type DeliveryOptions = {
  readonly failureResponse: FailureResponse;
  /** The time slices that all streams share. */
  readonly slices: TimeSlices;
  /** How long a stream stays open while its client reads nothing. */
  readonly streamStallTimeoutMs: number;
  /** The time after which a quiet stream of events gets a comment; 0 for none. */
  readonly eventStreamQuietMs: number;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortSignal;
  readonly observer: Observer;
  readonly log: Logger;
};

/**
 * Creates the function that sends the response of an exchange, and then reports its outcome. Whole responses of one turn
 * of the event loop are sent together: each write wakes a client, and a client that is busy with the first response is
 * not woken again.
 */
export function createDelivery(options: DeliveryOptions): (exchange: Exchange) => void {
  const { failureResponse, slices, streamStallTimeoutMs, eventStreamQuietMs, stopping, observer, log } = options;
  const sending = { slices, stallTimeoutMs: streamStallTimeoutMs, eventStreamQuietMs };
  let batch: Exchange[] = [];
  let turn: Promise<void> | undefined;
  return (exchange) => {
    // Early responses wait for the end of the turn, to be sent together.
    if (exchange.req.complete) deliver(exchange);
    else
      void endOfTurn().then(() => {
        deliver(exchange);
      });
  };

  function deliver(exchange: Exchange): void {
    const { response } = exchange;
    if (isBodyStream(response?.body)) void stream(exchange, { ...response, body: response.body });
    else if (batch.push(exchange) === 1) nextTick(flush);
  }

  function flush(): void {
    const exchanges = batch;
    batch = [];
    for (const exchange of exchanges) sendWhole(exchange);
    for (const exchange of exchanges) reportOutcome(exchange, observer);
  }

  function sendWhole(exchange: Exchange): void {
    try {
      send(exchange.req, exchange.res, exchange.response as PreparedResponse); // Not a stream.
    } catch (error) {
      sendUnexpected(exchange, error);
    }
  }

  async function stream(exchange: Exchange, response: PreparedResponse<BodyStream>): Promise<void> {
    try {
      exchange.isComplete = await sendUntilStop(exchange, response);
    } catch (error) {
      exchange.isComplete = !exchange.res.headersSent;
      sendUnexpected(exchange, error);
    }
    reportOutcome(exchange, observer);
  }

  /** Sends a stream. Aborts the signal of the request when the service stops, so that an endless stream can end. */
  async function sendUntilStop(
    { req, res, request }: Exchange,
    response: PreparedResponse<BodyStream>,
  ): Promise<boolean> {
    const onStop = (): void => request?.cancel(new Error('the service is stopping'));
    if (stopping.aborted) onStop();
    stopping.addEventListener('abort', onStop, { once: true });
    try {
      return await sendStream(req, res, response, sending);
    } finally {
      stopping.removeEventListener('abort', onStop);
    }
  }

  function sendUnexpected(exchange: Exchange, error: unknown): void {
    logError(log, exchange, error);
    sendFailure(exchange.req, exchange.res, failureResponse(unexpectedFailure(), exchange.compiled));
  }

  /** Returns a promise that all requests of this turn share whose bodies are still arriving. */
  function endOfTurn(): Promise<void> {
    turn ??= setImmediate().then(() => {
      turn = undefined;
    });
    return turn;
  }
}
