import { kindOf, parseJsonTree } from '@contract-first/contract';
import { type Case, caseOf } from '@contract-first/model/cases';
import type { ApiOperation, ApiParameter } from '@contract-first/model/operations';
import type { KeptResponse, RequestInput, Tokens, WireRequest, WireResponse } from '@contract-first/model/requests';
import { type ExpressionSource, fromJsonTree, type Json, type JsonSchema } from '@contract-first/model/values';
import { bodySchemaOf, headerOf } from '../judgement/conformance.ts';
import type { ExchangeOutcome } from '../run/exchange.ts';
import type { ExtraHeader } from '../run/extra-headers.ts';
import type { Run } from '../run/run.ts';

/** A valid request of a sequence and its response. */
export type SequenceStep = {
  readonly operation: ApiOperation;
  readonly testCase: Case;
  /** The request as sent. */
  readonly request: WireRequest;
  readonly response: KeptResponse;
  /** The response body; `undefined` if it is large or not JSON. */
  readonly json: Json | undefined;
};

/** The part of a step that is kept for reports. */
export type Evidence = Pick<SequenceStep, 'operation' | 'request' | 'response'>;

/**
 * Sends a request of a sequence, with additional headers.
 *
 * @returns `undefined` if the input is invalid or there is no response
 */
export type Send = (
  operation: ApiOperation,
  input: RequestInput,
  headers?: readonly ExtraHeader[],
) => Promise<SequenceStep | undefined>;

/**
 * Creates a test case from valid input. Returns `undefined` if the input is invalid.
 *
 * @param otherTokens the tokens of the second user, for a request of the second user
 */
export function requestOf(
  operation: ApiOperation,
  input: RequestInput,
  headers: readonly ExtraHeader[],
  { requestOracle, tokens }: Run,
  otherTokens?: Tokens,
): Case | undefined {
  const testCase = caseOf(operation, requestOracle, input, otherTokens ?? tokens);
  if (testCase?.kind !== 'positive') return undefined;
  const request = { ...testCase.request, headers: [...testCase.request.headers, ...headers] };
  return otherTokens === undefined
    ? { ...testCase, request }
    : { ...testCase, request, kind: 'other user', description: 'other user' };
}

/** Returns the part of a step that is kept for reports. */
export function evidenceOf({ operation, request, response }: SequenceStep): Evidence {
  return { operation, request, response };
}

/** Returns the schema of a response body, or `undefined`. */
export function responseSchemaOf({ operation, response }: Evidence): JsonSchema | undefined {
  return bodySchemaOf(operation, response.status);
}

/** Returns the source for evaluating runtime expressions on a step. */
export function expressionSourceOf({ request, response, json, testCase: { input } }: SequenceStep): ExpressionSource {
  const isNamed = (parameter: ApiParameter, location: string, name: string): boolean =>
    parameter.in === location &&
    (location === 'header' ? parameter.name.toLowerCase() === name.toLowerCase() : parameter.name === name);
  return {
    url: request.target,
    method: request.method,
    status: response.status,
    parameter: (location, name) => input?.parameters.find(({ parameter }) => isNamed(parameter, location, name))?.value,
    requestBody: input?.body?.value,
    responseHeader: (name) => headerOf(response, name),
    responseBody: json,
  };
}

/** Creates a step from an outcome. Returns `undefined` without a complete response. */
export function stepOf(
  operation: ApiOperation,
  testCase: Case,
  { request, response, whole }: ExchangeOutcome,
): SequenceStep | undefined {
  return response && whole && { operation, testCase, request, response, json: jsonOf(whole) };
}

// Parsed values need much more memory than the bodies, and sequences keep several of them.
const MAX_BYTES = 1_048_576;

/** Parses a JSON response with exact integers. Returns `undefined` for other and for large bodies. */
function jsonOf(response: WireResponse): Json | undefined {
  if (response.body.length > MAX_BYTES || response.limitBytes !== undefined) return undefined;
  const mediaType = headerOf(response, 'content-type')?.split(';', 1)[0] ?? '';
  if (kindOf(mediaType.trim().toLowerCase()) !== 'json') return undefined;
  try {
    return fromJsonTree(parseJsonTree(response.body.toString()));
  } catch {
    return undefined; // Reported by response_schema_conformance.
  }
}
