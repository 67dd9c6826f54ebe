import { lookup as resolveName } from 'node:dns';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { finished } from 'node:stream/promises';
import { kindOf, nodeHttp, type Operation, stringifyJson } from '@contract-first/contract';
import {
  dereference,
  type Document,
  listOperations,
  type OperationObject,
  operationsOf,
  parametersOf,
  type PathItem,
} from '@contract-first/documents';
import type { AnyReply } from '@contract-first/engine/tools';
import { encodingOf, readRequestBody, omitNonFormMembers, writeBody } from '@contract-first/model/operations';
import {
  type Described,
  evaluateExpression,
  type ExpressionSource,
  isArray,
  type Json,
  type Values,
} from '@contract-first/model/values';
import type { MockRequest } from './memory/reply.ts';
import { omitFiles } from './memory/requests/request-body.ts';
import { isVisible, RESERVED } from './responses/headers.ts';
import { writeText } from './responses/text-body.ts';

/** A documented callback of an operation. */
type Callback = {
  readonly name: string;
  /** The URL: a runtime expression. */
  readonly expression: string;
  readonly method: string;
  /** Returns the message, which is created once. */
  readonly message: () => Message;
};

const MAX_PENDING = 100;
// The header of all callbacks. Requests with it cause no callbacks, so mocks cannot call themselves or each other forever.
const CALLBACK_HEADER = 'x-mock-callback';

/** Sends the callbacks of a successful operation. */
export type SendCallbacks = (request: MockRequest, reply: AnyReply) => void;

/**
 * Creates the callbacks of a document.
 *
 * @param hosts the allowed hosts besides the local machine
 * @param signal aborts pending callbacks
 */
export function createCallbacks(values: Values, hosts: ReadonlySet<string>, signal: AbortSignal) {
  const document = values.document as Document; // Validated document.
  const objects = new Map(listOperations(document).map(({ object }) => [object.operationId, object]));
  let pending = 0;
  return { of };

  /** Returns a function that sends the callbacks of an operation; `undefined` if it has none. */
  function of(operation: Operation): SendCallbacks | undefined {
    const callbacks = callbacksOf(operation.operationId);
    if (callbacks.length === 0) return undefined;
    return (request, reply) => {
      if (reply.status < 200 || reply.status >= 300) return;
      if (request.rawHeaders[CALLBACK_HEADER] !== undefined) {
        request.log.info('no callbacks: the request is a callback of a mock');
        return;
      }
      const source = sourceOf(operation, request, reply);
      // Sends the response to the client first.
      setImmediate(() => {
        for (const callback of callbacks) void send(callback, source, request);
      });
    };
  }

  function callbacksOf(operationId: string): readonly Callback[] {
    const { callbacks = {} } = Object(objects.get(operationId)) as { readonly callbacks?: object };
    return Object.entries(callbacks).flatMap(([name, node]) =>
      Object.entries(Object(dereference(document, node)) as object).flatMap(([expression, item]) => {
        if (expression.startsWith('x-')) return [];
        const pathItem = Object(dereference(document, item)) as PathItem;
        return operationsOf(pathItem).map(([method, object]): Callback => {
          let message: Message | undefined;
          const key = `${operationId} ${name} ${method}`;
          const create = (): Message => (message ??= createMessage(values, pathItem, object, key));
          return { name, expression, method, message: create };
        });
      }),
    );
  }

  async function send({ name, expression, method, message }: Callback, source: ExpressionSource, { log }: MockRequest) {
    let line: object = { callback: name };
    pending += 1;
    try {
      if (pending > MAX_PENDING) throw new Error(`${String(MAX_PENDING)} others are pending`);
      const target = evaluateExpression(expression, source);
      if (target === undefined) throw new Error(`${expression} has no value`);
      const url = URL.parse(typeof target === 'string' ? target : '');
      if (url === null) throw new Error(`${expression} is not a URL`);
      line = { ...line, url: url.origin + url.pathname };
      const { headers, body } = message();
      const marked = { method, headers: { ...headers, [CALLBACK_HEADER]: 'true' }, body };
      const status = await sendMessage(url, marked, hosts, signal);
      if (status >= 300) throw new Error(`the response is ${String(status)}`);
      log.info({ ...line, status }, 'callback sent');
    } catch (error) {
      log.warn(line, `callback failed: ${(error as Error).message}`); // Only errors are thrown.
    } finally {
      pending -= 1;
    }
  }
}

function sourceOf({ operationId, method }: Operation, request: MockRequest, reply: AnyReply): ExpressionSource {
  const { path, query, body, rawHeaders } = request;
  const parts = { path, query } as Readonly<Record<string, Readonly<Record<string, Json | undefined>>>>; // Validated.
  return {
    get url() {
      return request.url(operationId, { path: { ...path }, query: { ...query } });
    },
    method,
    status: reply.status,
    parameter: (location, name) =>
      location === 'header' ? rawHeaders[name.toLowerCase()]?.toString() : parts[location]?.[name],
    requestBody: omitFiles(body),
    responseHeader: (name) => {
      const [, value] = Object.entries(reply.headers ?? {}).find(([other]) => other.toLowerCase() === name) ?? [];
      return typeof value === 'string' || value === undefined ? value : stringifyJson(value);
    },
    responseBody: reply.body as Json | undefined, // Generated by the mock.
  };
}

/** The headers and the body of a callback. */
export type Message = { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer | undefined };

/**
 * Creates the documented request of a callback from examples or generated values.
 *
 * @param values the response values, since the service sends the request: with read-only and without write-only members
 * @param key determines the generated values
 */
function createMessage(values: Values, pathItem: PathItem, object: OperationObject, key: string): Message {
  const document = values.document as Document; // Validated document.
  const parameters = parametersOf(document, pathItem, object).filter((one) => one.in === 'header');
  const headers = parameters.flatMap((parameter) => {
    const { name, content = {} } = parameter;
    const described = (Object.values(content)[0] ?? parameter) as Described; // Validated document.
    const value = values.valuesOf(described, wanted(name, true)).find(isVisible);
    return value === undefined || RESERVED.test(name) ? [] : [[name.toLowerCase(), headerText(value)] as const];
  });
  const node = dereference(document, object.requestBody);
  const contents = Object.values(node?.content ?? {});
  const described = readRequestBody(values.schemas, node)?.contents ?? [];
  const index = Math.max(
    0,
    described.findIndex(({ mediaType }) => kindOf(mediaType) === 'json'),
  );
  const content = described[index];
  if (content === undefined) return { headers: Object.fromEntries(headers), body: undefined };
  const kind = encodingOf(content);
  const isText = kind !== 'json' && kind !== 'form' && kind !== 'multipart';
  const [value = null] = values.valuesOf(contents[index] as Described, wanted('body', isText)); // Validated document.
  const { contentType, bytes } = writeBody(content, kind === 'json' ? value : omitNonFormMembers(value));
  const body = kind === undefined ? Buffer.from(writeText(content.mediaType, value)) : bytes;
  return { headers: { ...Object.fromEntries(headers), 'content-type': contentType }, body };

  function wanted(part: string, isText: boolean) {
    return { key: `${key} ${part}`, dynamic: false, isText };
  }
}

function headerText(value: Json): string {
  if (isArray(value)) return value.map(headerText).join(',');
  return typeof value === 'string' ? value : stringifyJson(value);
}

const TIME_LIMIT_MS = 5_000;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Sends a message. Ignores the response body, and does not follow redirects.
 *
 * @param hosts the hosts with any address; other hosts must be local
 * @returns the status of the response
 * @throws if there is no response, with the reason
 */
async function sendMessage(
  url: URL,
  { method, headers, body }: Message & { readonly method: string },
  hosts: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<number> {
  if (!/^https?:$/.test(url.protocol)) throw new Error(`${url.protocol} is not http: or https:`);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const assertAllowed = (address: string): void => {
    if (!hosts.has(host) && !(isIP(address) !== 0 && isLoopback(address)))
      throw new Error(`${host} is not of this machine; allow it with --callback-host ${host}`);
  };
  if (isIP(host) !== 0) assertAllowed(host); // Node does not call `lookup` for IP addresses.
  // Checks the address that is connected to, since a second resolution may return a different address.
  const lookup: LookupFunction = (name, options, callback) => {
    resolveName(name, options, (error, address, family) => {
      try {
        // A host that cannot be resolved is refused as well, since another error would not name the option.
        const found = error === null ? [address].flat() : [host];
        for (const one of found) assertAllowed(typeof one === 'string' ? one : one.address);
        callback(error, address, family);
      } catch (refusal) {
        callback(refusal as Error, address, family); // Thrown by assertAllowed.
      }
    });
  };
  const limit = AbortSignal.timeout(TIME_LIMIT_MS);
  const send = url.protocol === 'https:' ? requestHttps : nodeHttp.request;
  const request = send(url, { method, headers, lookup, agent: false, signal: AbortSignal.any([limit, signal]) });
  request.on('error', () => undefined); // Handles errors after the response, too.
  try {
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await finished(response.resume());
    return response.statusCode ?? 0;
  } catch (error) {
    if (limit.aborted) throw new Error(`no response within ${String(TIME_LIMIT_MS)} ms`, { cause: error });
    const { message, code } = error as NodeJS.ErrnoException; // Node emits only such errors.
    throw new Error(message === '' ? code : message, { cause: error }); // The message is empty for several addresses.
  } finally {
    request.destroy();
  }
}

function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
