import { findResponseKey, kindOf, matchMediaType, type Operation } from '@contract-first/contract';
import type { AnyReply } from '@contract-first/engine/tools';
import {
  type ApiOperation,
  createPairing,
  type ExamplePair,
  type ApiParameter,
  type SentValues,
} from '@contract-first/model/operations';
import type { Json } from '@contract-first/model/values';
import type { DocumentValues } from '../memory/memory.ts';
import { omitFiles } from '../memory/requests/request-body.ts';
import type { MockRequest, RespondToMock } from '../memory/reply.ts';

type Handle = (request: MockRequest) => AnyReply;

const CLIENT_ERROR = 400;

/**
 * Creates a handler that responds with the response example of the same name as the examples in a request. For
 * operations on stored resources, only failures are paired: failures selected by a body example, and failures if the
 * memory has no success.
 *
 * @param remember the handler of an operation on stored resources
 * @returns `undefined` if the operation has no pairs
 */
export function createPaired(
  documented: Operation,
  { operations, requests, responses }: DocumentValues,
  respond: RespondToMock,
  remember: Handle | undefined,
): Handle | undefined {
  const operation = operations.find(({ operationId }) => operationId === documented.operationId);
  if (operation === undefined) return undefined;
  const pairOf = createPairing(operation, requests.schemas);
  if (pairOf === undefined) return undefined;
  return (request) => {
    const pair = pairOf(sentValues(operation, request));
    const status = pair === undefined || !isValid(operation, pair) ? undefined : statusOf(documented, pair.key);
    if (pair === undefined || status === undefined) return (remember ?? respond)(request);
    const change = { status, example: pair.name };
    const isFailure = status >= CLIENT_ERROR;
    if (remember === undefined || (isFailure && pair.hasBody)) return respond(request, change);
    const reply = remember(request);
    return isFailure && reply.status >= CLIENT_ERROR ? respond(request, change) : reply;
  };

  /** Returns whether a media type of the response has a valid example with the name. */
  function isValid({ responses: documented }: ApiOperation, { key, name }: ExamplePair): boolean {
    return (documented[key]?.contents ?? []).some(({ mediaType, schema, named }) => {
      const example = named.get(name);
      return example !== undefined && (kindOf(mediaType) !== 'json' || responses.allows(schema, example));
    });
  }
}

/**
 * Returns the first status of a response. Statuses of `default` begin at 400, since paired responses are failures.
 *
 * @returns `undefined` if other responses cover all its statuses
 */
function statusOf(operation: Operation, key: string): number | undefined {
  const first = key === 'default' ? CLIENT_ERROR : Number(key.replace(/XX$/i, '00'));
  const statuses = Array.from({ length: 100 }, (_, index) => first + index);
  return statuses.find((status) => findResponseKey(operation, status) === key);
}

function sentValues({ requestBody }: ApiOperation, request: MockRequest): SentValues {
  const { path, query, headers, cookies, contentType = '', body } = request;
  const parts = { path, query, header: headers, cookie: cookies };
  const contents = requestBody?.contents ?? [];
  const mediaType = matchMediaType(
    contentType,
    contents.map((content) => content.mediaType),
  );
  const content = contents.find((one) => one.mediaType === mediaType);
  const value = content === undefined ? undefined : omitFiles(body);
  return {
    valueOf: ({ in: place, name }: ApiParameter) => (parts[place] as Readonly<Record<string, Json>>)[name], // Validated.
    body: content === undefined || value === undefined ? undefined : { content, value },
  };
}
