import type { Logger } from 'pino';
import {
  failureMediaType,
  failureStatusOf,
  findResponseKey,
  kindOf,
  nodeHttp,
  stringifyJson,
  type Contract,
  type FailureDetails,
  type Shape,
} from '@contract-first/contract';
import type { Conversions } from '../read/codecs.ts';
import type { CompiledOperation } from '../compiled-operation.ts';
import { unexpectedFailure, type Failure } from '../failure.ts';
import { encodeBody, encodeHeaders, type PreparedResponse } from './response.ts';

/** Renders a failure as a documented error body. */
export type RenderFailure = (details: FailureDetails) => unknown;

/**
 * Returns the status to send for a failure; `undefined` selects the documented status.
 *
 * @param failure has the status that the engine would send without a document
 */
export type FailureStatus = (failure: FailureDetails) => number | undefined;

/** Returns the headers that the document requires for a failure. */
export type FailureHeaders = (details: FailureDetails) => Readonly<Record<string, unknown>>;

/**
 * Converts a failure to a response.
 *
 * @param compiled the operation of the request; `undefined` when the request was not routed
 */
export type FailureResponse = (failure: Failure, compiled?: CompiledOperation) => PreparedResponse;

/** The parts of an application that determine its failures. */
type FailureParts = {
  /** Renders the bodies, by name. */
  readonly failures: Readonly<Record<string, RenderFailure>>;
  readonly failureStatus?: FailureStatus;
  /** Returns the documented headers that the engine does not send itself. */
  readonly failureHeaders?: FailureHeaders;
};

/**
 * Creates the function that converts failures to responses: as documented for the operation, else in the most common
 * error format of the document, else as problem details (RFC 9457).
 */
export function createFailureResponse(
  { usualFailure, operations }: Contract,
  { failures, failureStatus = () => undefined, failureHeaders = () => ({}) }: FailureParts,
  conversions: Conversions,
  log: Logger,
): FailureResponse {
  const usualShape = usualFailure && shapeOf(usualFailure.name, operations);
  return (failure, compiled) => {
    try {
      return respond(failure, compiled);
    } catch (error) {
      log.error({ err: error, status: failure.status }, 'a failure could not be rendered');
      return problemDetails(unexpectedFailure());
    }
  };

  function respond(failure: Failure, compiled: CompiledOperation | undefined): PreparedResponse {
    const { message, headers: engineHeaders } = failure;
    const violations = failure.violations.map(({ text: _, ...violation }) => violation);
    const undecided = { status: failure.status, message, operationId: compiled?.operation.operationId, violations };
    const status = failureStatus(undecided) ?? documentedStatus(failure, compiled);
    const details = { ...undecided, status };
    const key = compiled && findResponseKey(compiled.operation, status);
    const documented = key === undefined ? undefined : compiled?.operation.responses[key];
    if (compiled === undefined || documented === undefined) {
      const render = rendererOf(usualFailure?.name);
      if (usualFailure === undefined || render === undefined) return problemDetails(failure, status);
      const { mediaType } = usualFailure;
      const body = conversions.formats.encode(render(details), usualShape, 'body');
      const encoded = kindOf(mediaType) === 'json' ? stringifyJson(body) : assertWhole(body);
      return { status, headers: { ...engineHeaders, 'content-type': mediaType }, body: encoded };
    }
    const headers = { ...encodeHeaders(compiled, conversions, status, failureHeaders(details)), ...engineHeaders };
    const mediaType = failureMediaType(documented.mediaTypes);
    if (mediaType === undefined) return { status, headers, body: undefined };
    const render = rendererOf(documented.failure);
    if (render === undefined) return problemDetails(failure, status);
    const body = encodeBody(compiled, conversions, status, mediaType, render(details));
    return { status, headers: { ...headers, 'content-type': mediaType.sent }, body: assertWhole(body) };
  }

  function rendererOf(name = ''): RenderFailure | undefined {
    return Object.hasOwn(failures, name) ? failures[name] : undefined;
  }
}

/** Returns the status that the document has for a failure. */
function documentedStatus({ status, violations }: Failure, compiled: CompiledOperation | undefined): number {
  if (compiled === undefined) return status;
  const isInPath = violations.length > 0 && violations.every(({ place }) => place.startsWith('path/'));
  return failureStatusOf(compiled.operation, status, isInPath);
}

/** Returns the shape of a named error body. */
function shapeOf(name: string, operations: Contract['operations']): Shape | undefined {
  const bodies = Object.values(operations).flatMap(({ responses, formats }) =>
    Object.entries(responses).flatMap(([key, { failure, mediaTypes }]) => {
      const mediaType = failure === name ? failureMediaType(mediaTypes) : undefined;
      return mediaType === undefined ? [] : [formats?.responses[key]?.bodies[mediaType.documented]];
    }),
  );
  return bodies[0];
}

function assertWhole(body: unknown): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  throw new Error('the body of a failure must be text or bytes');
}

/** Converts a failure to problem details (RFC 9457), with the violations as `errors`, as in the RFC's example. */
export function problemDetails(
  { message, headers, violations, ...failure }: Failure,
  status = failure.status,
): PreparedResponse {
  const errors = violations.map(({ place, message: detail }) => ({ detail, ...sourceOf(place) }));
  const title = nodeHttp.STATUS_CODES[status] ?? 'Failure';
  const body = JSON.stringify({ status, title, detail: message, ...(errors.length > 0 && { errors }) });
  return { status, headers: { ...headers, 'content-type': 'application/problem+json' }, body };
}

/**
 * Returns the location of a violation: in the body, a JSON pointer as a URI fragment (RFC 6901, 6); else a parameter.
 */
function sourceOf(place: string): object {
  const [location = '', ...keys] = place.split('/');
  const rest = place.slice(location.length);
  if (location === 'body') return { pointer: `#${encodeURI(rest.toWellFormed()).replaceAll('#', '%23')}` };
  return keys.length === 0 ? { in: location } : { in: location, name: rest.slice(1) };
}
