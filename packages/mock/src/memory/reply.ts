import { hash } from 'node:crypto';
import {
  findResponseKey,
  nodeHttp,
  stringifyJson,
  type Operation,
  type RequestContext,
} from '@contract-first/contract';
import type { AnyReply, LinkParameters, ValidRequest } from '@contract-first/engine/tools';
import { createFailureTemplates, fillTemplate, type FailureTemplate } from '@contract-first/model/scaffolds';
import type { Json, Values } from '@contract-first/model/values';
import { readPreferences } from '../responses/preferences.ts';
import { hasExample, type NegotiableRequest, type Respond, type ResponseChange } from '../responses/respond.ts';

/** A request that the engine passes to a handler. */
export type MockRequest = ValidRequest &
  NegotiableRequest &
  Pick<RequestContext, 'assertMatch' | 'log'> & {
    readonly url: (operationId: string, parameters?: LinkParameters) => string;
  };

/** Responds to a request of the engine. */
export type RespondToMock = (request: MockRequest, change?: ResponseChange) => AnyReply;

/** Responds with a documented failure; returns `undefined` if the operation documents none for the status. */
export type Fail = (request: Parameters<Respond>[0], status: number, message: string) => AnyReply | undefined;

/** Creates {@link Fail} for an operation. */
export function createFail(values: Values, operation: Operation, respond: Respond): Fail {
  const bodyOf = createFailureBodies(values, operation);
  return (request, status, message) => {
    const response = failureKey(operation, status);
    return response === undefined ? undefined : respond(request, { status, body: bodyOf(response, status, message) });
  };
}

/**
 * Creates a function that responds with the status for which a request asks. A failure without an example has the
 * status and its name, as the failures of a service.
 */
export function createPreferred(values: Values, operation: Operation, respond: Respond) {
  const bodyOf = createFailureBodies(values, operation);
  return (request: MockRequest): AnyReply => {
    const { code, example, dynamic } = readPreferences(request);
    const status = Number(code ?? 0);
    const response = status < 400 ? undefined : findResponseKey(operation, status);
    if (response === undefined || example !== undefined || dynamic === 'true') return respond(request);
    const failureOf = bodyOf(response, status, nodeHttp.STATUS_CODES[status] ?? 'Failure');
    return respond(request, {
      body: (generated, described, mediaType) =>
        hasExample(values, described) ? generated : failureOf(generated, described, mediaType),
    });
  };
}

/** Creates a function whose result replaces a generated body by the body of a failure, with a status and a message. */
function createFailureBodies(values: Values, operation: Operation) {
  const { valueOf } = createFailureTemplates(values);
  const templates = new Map<string, FailureTemplate>();
  return (response: string, status: number, message: string): NonNullable<ResponseChange['body']> =>
    (_generated, { schema }, mediaType) => {
      const name = `${operation.operationId} ${response} ${mediaType}`;
      const body = { name, mediaType, schema, response, operationId: operation.operationId, hasCodec: false };
      const template = templates.get(name) ?? valueOf(body);
      templates.set(name, template);
      return fillTemplate(template, { status, message, violations: [] });
    };
}

/** Returns the key of a documented failure. `default` counts as a failure only if a 2xx is documented. */
export function failureKey({ responses }: { readonly responses: object }, status: number): string | undefined {
  const keys = Object.keys(responses);
  const usable = keys.some((key) => key.startsWith('2')) ? keys : keys.filter((key) => key !== 'default');
  const wanted = [String(status), `${String(status).charAt(0)}XX`, 'default'];
  return wanted.find((key) => usable.includes(key));
}

/** Returns a strong entity tag (RFC 9110, 8.8.3). Contains only digits, which most schemas allow. */
export function etagOf(value: Json): string {
  return `"${String(Number.parseInt(hash('sha256', stringifyJson(value)).slice(0, 12), 16) % 1e9)}"`;
}
