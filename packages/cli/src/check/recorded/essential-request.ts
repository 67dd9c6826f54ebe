import type { ApiOperation } from '../api-operation.ts';
import { isInAuthorization } from '../credentials.ts';
import type { WireRequest } from '../wire-request.ts';

// Those that decide how a server reads a request, besides the documented ones.
const ESSENTIAL = /^(?:content-type|accept|cookie|if-.*|idempotency-key|prefer|x-http-method-override)$/;

/** Copies a request with the headers that may matter: clients add many about themselves and the connection. */
export function essentialRequest({ parameters, security }: ApiOperation, request: WireRequest): WireRequest {
  const schemes = security.flat();
  const keys = schemes.flatMap((scheme) => (scheme.in === 'header' ? (scheme.name ?? []) : []));
  const documented = parameters.flatMap((parameter) => (parameter.in === 'header' ? parameter.name : []));
  const names = [...keys, ...documented, ...(schemes.some(isInAuthorization) ? ['Authorization'] : [])];
  const kept = new Set(names.map((name) => name.toLowerCase()));
  const headers = request.headers.filter(
    ([name]) => kept.has(name.toLowerCase()) || ESSENTIAL.test(name.toLowerCase()),
  );
  return { ...request, headers };
}
