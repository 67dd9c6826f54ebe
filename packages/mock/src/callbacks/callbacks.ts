import { stringifyJson, type Operation } from '@contract-first/contract';
import type { AnyReply } from '@contract-first/engine/tools';
import { dereference, listOperations, operationsOf, type Document, type PathItem } from '@contract-first/documents';
import { evaluate, type ExpressionSource, type Json, type Values } from '@contract-first/model/values';
import { jsonOf } from '../memory/sent.ts';
import type { MockRequest } from '../memory/reply.ts';
import { createMessage, type Message } from './message.ts';
import { sendMessage } from './send-message.ts';

/** A documented callback of an operation. */
type Callback = {
  readonly name: string;
  /** The URL: a runtime expression. */
  readonly expression: string;
  readonly method: string;
  /** Creates the message once. */
  readonly message: () => Message;
};

const MAX_PENDING = 100;

/** Sends the callbacks of an operation if it has succeeded. */
export type SendCallbacks = (request: MockRequest, reply: AnyReply) => void;

/**
 * Creates the callbacks of a document.
 *
 * @param hosts the hosts that callbacks may be sent to besides this machine
 * @param signal ends the pending ones
 */
export function createCallbacks(values: Values, hosts: ReadonlySet<string>, signal: AbortSignal) {
  const document = values.document as Document; // The linter has checked its shape.
  const objects = new Map(listOperations(document).map(({ object }) => [object.operationId, object]));
  let pending = 0;
  return { of };

  /** Returns the function that sends the callbacks of an operation; `undefined` without any. */
  function of(operation: Operation): SendCallbacks | undefined {
    const callbacks = callbacksOf(operation.operationId);
    if (callbacks.length === 0) return undefined;
    const sentFor = new WeakSet<AnyReply>();
    return (request, reply) => {
      // The reply to a repeated request with an idempotency key is the same object.
      if (reply.status < 200 || reply.status >= 300 || sentFor.has(reply)) return;
      sentFor.add(reply);
      const source = sourceOf(operation, request, reply);
      // The client gets its response first.
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
      const target = evaluate(expression, source);
      if (target === undefined) throw new Error(`${expression} has no value`);
      const url = URL.parse(typeof target === 'string' ? target : '');
      if (url === null) throw new Error(`${expression} is not a URL`);
      line = { ...line, url: url.origin + url.pathname };
      const status = await sendMessage(url, { ...message(), method }, hosts, signal);
      if (status >= 300) throw new Error(`the response is ${String(status)}`);
      log.info({ ...line, status }, 'callback sent');
    } catch (error) {
      log.warn(line, `callback failed: ${(error as Error).message}`); // Nothing else is thrown.
    } finally {
      pending -= 1;
    }
  }
}

function sourceOf({ operationId, method }: Operation, request: MockRequest, reply: AnyReply): ExpressionSource {
  const { path, query, body, rawHeaders } = request;
  const parts = { path, query } as Readonly<Record<string, Readonly<Record<string, Json | undefined>>>>; // As validated.
  return {
    get url() {
      return request.url(operationId, { path: { ...path }, query: { ...query } });
    },
    method,
    status: reply.status,
    parameter: (location, name) =>
      location === 'header' ? rawHeaders[name.toLowerCase()]?.toString() : parts[location]?.[name],
    requestBody: jsonOf(body),
    responseHeader: (name) => {
      const [, value] = Object.entries(reply.headers ?? {}).find(([other]) => other.toLowerCase() === name) ?? [];
      return typeof value === 'string' || value === undefined ? value : stringifyJson(value);
    },
    responseBody: reply.body as Json | undefined, // As generated.
  };
}
