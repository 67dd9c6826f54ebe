import type { IncomingMessage } from 'node:http';
import { excerptOf } from '@contract-first/model/requests';
import type { RecordedExchange } from '../recorded/recorded-exchange.ts';
import { endToEndHeaders } from './end-to-end-headers.ts';
import { decodeBody, keepPassing, type PassingBody } from './passing-body.ts';

/** A request that passes through the proxy, with its response. */
export type Passage = {
  /** Keeps a response while it passes. */
  readonly respond: (response: IncomingMessage) => void;
  /**
   * Returns the exchange as it was recorded.
   *
   * @param cause why no response arrived as a whole; `undefined` when one did
   */
  readonly finish: (cause: string | undefined) => RecordedExchange;
};

const NOTHING = Buffer.alloc(0);

/** Keeps a request while it passes. */
export function openPassage(request: IncomingMessage, target: string, number: number): Passage {
  const startedAt = new Date();
  const start = performance.now();
  const sent = keepPassing(request);
  let passing: { readonly response: IncomingMessage; readonly body: PassingBody } | undefined;
  return {
    respond(response) {
      passing = { response, body: keepPassing(response) };
    },
    finish(cause) {
      const { method = 'GET', rawHeaders, complete } = request;
      const durationMs = performance.now() - start;
      const body = hasBody(request) ? recordedBody(sent, request).bytes : undefined;
      const common = {
        request: { method, target, headers: endToEndHeaders(rawHeaders), body },
        hasAllHeaders: true,
        isRequestComplete: complete && !sent.isCut(),
        ...{ startedAt, durationMs, place: `request ${String(number)}, ${startedAt.toISOString()}` },
      };
      const received = passing === undefined ? undefined : recordedBody(passing.body, passing.response);
      if (cause !== undefined || passing === undefined || received === undefined) {
        const totalBytes = passing?.body.bytes().length;
        const broken = { cause: cause ?? 'there is none', received: excerptOf(received?.bytes ?? NOTHING, totalBytes) };
        return { ...common, response: undefined, isResponseComplete: false, broken };
      }
      const { statusCode: status = 0 } = passing.response;
      const headers = endToEndHeaders(passing.response.rawHeaders).map(
        ([name, value]) => [name.toLowerCase(), value] as const,
      );
      const response = { status, headers, body: received.bytes, limitBytes: undefined, elapsedMs: durationMs };
      return { ...common, response, isResponseComplete: received.isWhole, broken: undefined };
    },
  };
}

/** Returns a body without its codings. One that cannot be decoded is not recorded, since its secrets could not be replaced. */
function recordedBody(
  kept: PassingBody,
  { headers }: IncomingMessage,
): { readonly bytes: Buffer; readonly isWhole: boolean } {
  const coding = headers['content-encoding'];
  const decoded = kept.isCut() ? undefined : decodeBody(kept.bytes(), coding);
  return { bytes: decoded ?? (coding === undefined ? kept.bytes() : NOTHING), isWhole: decoded !== undefined };
}

/** Whether a request has a body, which may be empty (RFC 9112, 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
