import {
  InvalidResponse,
  kindOf,
  stringifyJson,
  type Operation,
  type OperationValidator,
} from '@contract-first/contract';
import { isStreamable, openStream } from './body-stream.ts';
import type { Conversions } from '../read/codecs.ts';
import type { CompiledOperation } from '../compiled-operation.ts';
import {
  definedHeaders,
  serializeHeaders,
  toFieldValue,
  toResponse,
  type AnyReply,
  type HandlerResponse,
} from './response.ts';

/**
 * Converts the reply of a handler to a response like `toResponse`, but reports and sends a reply that does not conform
 * to the document.
 */
export function toReportedResponse(
  { operation, validator }: CompiledOperation,
  reply: AnyReply,
  conversions: Conversions,
  report: (error: InvalidResponse) => void,
): HandlerResponse {
  const lenient: OperationValidator = {
    ...validator,
    response: (...parts) => {
      reporting(() => {
        validator.response(...parts);
      });
    },
    responseHeaders: (...parts) => {
      reporting(() => {
        validator.responseHeaders(...parts);
      });
    },
  };
  // With a size check, a stream of the wrong size would be cut off.
  const measured = isStreamable(reply.body) ? withoutSizes(operation) : operation;
  return (
    reporting(() => toResponse({ operation: measured, validator: lenient }, reply, conversions)) ??
    uncheckedResponse(reply)
  );

  function reporting<Result>(check: () => Result): Result | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof InvalidResponse)) throw error;
      report(error);
      return undefined;
    }
  }
}

/** Copies an operation without the size limits of its response bodies. */
function withoutSizes(operation: Operation): Operation {
  const responses = Object.entries(operation.responses).map(([key, { bytes: _, ...response }]) => [key, response]);
  return { ...operation, responses: Object.fromEntries(responses) as Operation['responses'] };
}

/** Converts a reply whose status, headers or media type is not documented. */
function uncheckedResponse({ status, headers = {}, contentType, body }: AnyReply): HandlerResponse {
  const sent = serializeHeaders(definedHeaders(headers));
  if (body === undefined) return { status, headers: sent, body };
  const source = body instanceof Blob ? body.stream() : body;
  const isWhole = typeof source === 'string' || source instanceof Uint8Array;
  const usual =
    typeof body === 'string'
      ? 'text/plain'
      : isWhole || isStreamable(source)
        ? 'application/octet-stream'
        : 'application/json';
  const type = toFieldValue('content-type', contentType ?? usual);
  const withType = { ...sent, 'content-type': type };
  if (isStreamable(source)) return { status, headers: withType, body: openStream(source, toChunk) };
  const isText = isWhole && kindOf(type) !== 'json';
  return { status, headers: withType, body: isText ? source : stringifyJson(body) };
}

function toChunk(value: unknown): string | Uint8Array {
  return typeof value === 'string' || value instanceof Uint8Array ? value : stringifyJson(value);
}
