import type { ApiOperation } from '@contract-first/model/operations';
import { EXCERPT_BYTES, isInAuthorization, type WireRequest } from '@contract-first/model/requests';

// They decide how a server reads a request, besides the documented headers.
const ESSENTIAL = /^(?:content-type|accept|cookie|if-.*|idempotency-key|prefer|x-http-method-override)$/;

// More is not printed.
const MAX_BODY_BYTES = 2 * EXCERPT_BYTES;

/** Copies a request with the beginning of its body, and with the headers that may matter: clients add many about themselves and the connection. */
export function essentialRequest({ parameters, security }: ApiOperation, request: WireRequest): WireRequest {
  const schemes = security.flat();
  const keys = schemes.flatMap((scheme) => (scheme.in === 'header' ? (scheme.name ?? []) : []));
  const documented = parameters.flatMap((parameter) => (parameter.in === 'header' ? parameter.name : []));
  const names = [...keys, ...documented, ...(schemes.some(isInAuthorization) ? ['Authorization'] : [])];
  const kept = new Set(names.map((name) => name.toLowerCase()));
  const headers = request.headers.filter(
    ([name]) => kept.has(name.toLowerCase()) || ESSENTIAL.test(name.toLowerCase()),
  );
  const { body } = request;
  return { ...request, headers, body: body && Buffer.from(body.subarray(0, MAX_BODY_BYTES)) };
}
