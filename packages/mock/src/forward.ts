import type { Tls } from '@contract-first/command-line/options';
import { printError } from '@contract-first/command-line/terminal';
import { createAgent, endToEndHeaders, headerPairs, protocolProblem, requestTo } from '@contract-first/model/requests';
import type { ReadRequest, ResponseSource } from './recorded.ts';

// The statuses with which a service answers a request to a missing operation.
const MISSING = [404, 405, 501];
/** The time limit for the head of a response. Its body may take any time. */
const HEAD_TIMEOUT_MS = 30_000;

/**
 * Forwards requests to a service, and streams its responses. Returns no response if the service does not have the
 * operation or does not respond. Uses a new connection for each request, since a service may close idle connections at
 * any time.
 */
export function forward(service: URL, tls: Tls): ResponseSource {
  const { host, origin } = service;
  const send = requestTo(service);
  const agent = createAgent(service, tls, false);
  let isReported = false;
  return async (request, signal) => {
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<ResponseSource>>>();
    const { method, target: path, body } = request;
    const outgoing = send({ agent, method, path, headers: fieldsOf(request, host), signal }, (response) => {
      clearTimeout(deadline);
      const { statusCode: status = 0, rawHeaders } = response;
      if (MISSING.includes(status)) {
        outgoing.destroy();
        resolve(undefined);
        return;
      }
      resolve({ status, headers: headerPairs(rawHeaders).map((header) => withinMock(header, origin)), body: response });
    });
    const deadline = setTimeout(() => outgoing.destroy(), HEAD_TIMEOUT_MS);
    outgoing.on('error', (error) => {
      const problem = protocolProblem(error);
      if (problem !== undefined && !isReported) printError(`--proxy: ${origin}: ${problem}`);
      isReported ||= problem !== undefined;
    });
    outgoing.on('upgrade', (_response, socket) => socket.destroy());
    outgoing.on('close', () => {
      clearTimeout(deadline);
      resolve(undefined);
    });
    outgoing.end(body);
    return promise;
  };
}

/** Returns the headers of a request to the service. `Host` names the service, as without the mock. */
function fieldsOf({ headers, body }: ReadRequest, host: string): string[] {
  const forwarded = endToEndHeaders(headers).filter(([name]) => !/^(?:host|expect|content-length)$/i.test(name));
  const hasBody = headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
  const length = hasBody ? ['Content-Length', String(body.length)] : [];
  return ['Host', host, ...forwarded.flat(), ...length, 'Connection', 'close'];
}

/** Removes the origin of the service from a redirect, so that the client stays at the mock. */
function withinMock([name, value]: readonly [string, string], origin: string): readonly [string, string] {
  const isAbsolute = /^(?:https?:)?\/\//i.test(value);
  const target = /^(?:content-)?location$/i.test(name) && isAbsolute ? URL.parse(value, origin) : null;
  return [name, target?.origin === origin ? target.pathname + target.search + target.hash : value];
}
