import { kindOf, parseJsonTree } from '@contract-first/contract';
import { type Case, caseOf } from '@contract-first/model/cases';
import type { ApiOperation, Parameter } from '@contract-first/model/operations';
import type { KeptResponse, RequestInput, Tokens, WireRequest, WireResponse } from '@contract-first/model/requests';
import { type ExpressionSource, fromJsonTree, type Json } from '@contract-first/model/values';
import { headerOf } from '../judgement/conformance.ts';
import type { Outcome } from '../run/exchange.ts';
import type { ExtraHeader } from '../run/extra-headers.ts';
import type { Run } from '../run/run.ts';

/** A valid request of a sequence and its response. */
export type Step = {
  readonly operation: ApiOperation;
  readonly testCase: Case;
  /** As sent. */
  readonly request: WireRequest;
  readonly response: KeptResponse;
  /** The body of the response; `undefined` when it is large, or not JSON. */
  readonly json: Json | undefined;
};

/** The part of a step that is kept for the reports. */
export type Evidence = Pick<Step, 'operation' | 'request' | 'response'>;

/**
 * Sends a request of a sequence, with further headers.
 *
 * @returns `undefined` when the values are no valid request, or without a response
 */
export type Send = (
  operation: ApiOperation,
  input: RequestInput,
  headers?: readonly ExtraHeader[],
) => Promise<Step | undefined>;

/**
 * Returns the request of valid values; `undefined` when they are not valid.
 *
 * @param tokens those of the second user, for a request of that user
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

/** Copies the part of a step that is kept. */
export function evidenceOf({ operation, request, response }: Step): Evidence {
  return { operation, request, response };
}

/** Returns the parts of a step that runtime expressions refer to. */
export function expressionSourceOf({ request, response, json, testCase: { input } }: Step): ExpressionSource {
  const isNamed = (parameter: Parameter, location: string, name: string): boolean =>
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

/** Returns the step of a request and its outcome; `undefined` without a whole response. */
export function stepOf(
  operation: ApiOperation,
  testCase: Case,
  { request, response, whole }: Outcome,
): Step | undefined {
  return response && whole && { operation, testCase, request, response, json: jsonOf(whole) };
}

// Sequences keep the values of several responses, which take many times as much memory as their bodies.
const MAX_BYTES = 1_048_576;

/** Returns the value of a JSON response with exact integers; `undefined` for other bodies, and for large ones. */
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
