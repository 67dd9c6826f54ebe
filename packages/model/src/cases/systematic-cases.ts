import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ArbitraryFactory } from '../values/arbitrary.ts';
import { createBoundaryValues, type LongSizes } from '../values/boundary-values.ts';
import type { Oracle } from '../values/oracle.ts';
import type { ApiOperation } from '../operations/api-operation.ts';
import { encodingOf } from '../operations/body-bytes.ts';
import { caseOf, irreducibleCase, type Case } from './case.ts';
import { acceptedCredentials, rejectedCredentials } from './credential-cases.ts';
import { credentialsFor, firstToken, isProtected, type Tokens } from '../requests/credentials.ts';
import { exampleCases } from './example-cases.ts';
import { malformedBodies } from './malformed-bodies.ts';
import { spellingsOf } from './spellings.ts';
import { variantsOf } from './variants.ts';
import { withBody, writeRequest, type RequestInput } from '../requests/wire-request.ts';

export type SystematicOptions = {
  /** Validates with the request schemas. */
  readonly requestOracle: Oracle;
  readonly arbitraries: ArbitraryFactory;
  readonly tokens: Tokens;
  readonly seed: number;
};

// Without HEAD, which is supported with GET (RFC 9110, 9.3.2), OPTIONS, which any server may support (9.3.7), and
// CONNECT, which is for proxies.
const TESTED_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];
const UNKNOWN_SEGMENT = '/unknown-to-the-document';
const MAX_LIMITS = 300;
const LONG_IN_JSON: LongSizes = { chars: 10_000, items: 1_000 };
const LONG_ELSEWHERE: LongSizes = { chars: 1_000, items: 20 };

/**
 * Generates the systematic cases of an operation: the document's examples, plain requests, and their variants with a
 * single change.
 */
export function* systematicCases(
  operation: ApiOperation,
  plainInputs: readonly RequestInput[],
  options: SystematicOptions,
): Generator<Case> {
  const { requestOracle: oracle, tokens } = options;
  yield* exampleCases(operation, oracle, plainInputs, tokens);
  const [first] = plainInputs;
  if (first === undefined) return;

  for (const input of plainInputs) yield* usualCase(operation, input, tokens);

  const token = isProtected(operation) ? firstToken(operation, tokens) : undefined;
  if (token !== undefined) yield* rejectedCredentials(operation, plainInputs, tokens, token);
  yield* routingCases(operation, first, tokens);
  for (const input of plainInputs) yield* textCases(operation, input, options);
  if (token !== undefined) yield* acceptedCredentials(operation, first, tokens);

  const seen = new Set<string>();
  // Uses only the first of several equivalent media types, such as application/json and text/json.
  const varied = plainInputs.filter(
    (plain, index) =>
      !plainInputs.slice(0, index).some((other) => !haveSameBody(other, plain) && areAlike(other, plain)),
  );
  for (const [index, plain] of varied.entries()) {
    const smaller = varied.slice(0, index).find((other) => haveSameBody(other, plain));
    const isFullest = !varied.slice(index + 1).some((other) => haveSameBody(other, plain));
    for (const variant of [
      plain,
      { ...plain, body: undefined },
      ...variantsOf(plain, oracle.schemas.removed, smaller),
    ]) {
      const testCase = caseOf(operation, oracle, variant, tokens);
      if (testCase !== undefined && isNew(testCase)) yield testCase;
    }
    if (isFullest) yield* limitCases(plain);
  }

  /** Yields cases at the limits of a request's schemas. Selects a sample by the seed if there are many. */
  function* limitCases(plain: RequestInput): Generator<Case> {
    const most = MAX_LIMITS / new Set(varied.map(({ body }) => body?.content)).size;
    const all = [...limitsOf(plain, options)];
    const drawn = all.length <= most ? all : shuffled(all, options.seed);
    let count = 0;
    for (const input of drawn) {
      if (count >= most) return;
      const testCase = caseOf(operation, oracle, input, tokens);
      if (testCase === undefined || !isNew(testCase)) continue;
      count += 1;
      yield testCase;
    }
  }

  function isNew({ request: { target, headers, body } }: Case): boolean {
    const fingerprint = hash('sha256', JSON.stringify([target, headers, body?.toString('latin1')]));
    const isFirst = !seen.has(fingerprint);
    seen.add(fingerprint);
    return isFirst;
  }
}

function haveSameBody(one: RequestInput, other: RequestInput): boolean {
  return one.body?.content === other.body?.content;
}

/** Returns whether two bodies have the same schema and encoding. */
function areAlike({ body: one }: RequestInput, { body: other }: RequestInput): boolean {
  if (one === undefined || other === undefined) return false;
  return (
    encodingOf(one.content) === encodingOf(other.content) && isDeepStrictEqual(one.content.schema, other.content.schema)
  );
}

/** Generates requests with undocumented methods, HEAD instead of GET, and an unknown path. */
function* routingCases(operation: ApiOperation, first: RequestInput, tokens: Tokens): Generator<Case> {
  const credentials = credentialsFor(operation, tokens);
  const bare = writeRequest(operation, { ...first, body: undefined }, credentials);
  if (bare === undefined) return;
  const [requestPath = ''] = bare.target.split('?');
  const methodsAt = (path: string): readonly string[] =>
    operation.allPaths.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
  const documented = methodsAt(requestPath);
  for (const method of TESTED_METHODS.filter((name) => !documented.includes(name))) {
    yield* irreducibleCase('unsupported method', method, { ...bare, method });
  }
  if (operation.method === 'GET' && !documented.includes('HEAD')) {
    const original = writeRequest(operation, first, credentials) ?? bare;
    const [testCase] = irreducibleCase('header fields only', 'HEAD', { ...original, method: 'HEAD' });
    if (testCase !== undefined) yield { ...testCase, original };
  }
  const unknown = requestPath.replace(/\/$/, '') + UNKNOWN_SEGMENT;
  if (methodsAt(unknown).length === 0) yield* irreducibleCase('unknown path', unknown, { ...bare, target: unknown });
}

/** Creates the case of a plain request. */
function usualCase(operation: ApiOperation, input: RequestInput, tokens: Tokens): readonly Case[] {
  const request = writeRequest(operation, input, credentialsFor(operation, tokens));
  return request === undefined ? [] : [{ kind: 'positive', description: 'positive', request, input }];
}

/** Generates the alternative spellings of a plain request, and requests with malformed bodies. */
function* textCases(
  operation: ApiOperation,
  input: RequestInput,
  { tokens, requestOracle: { schemas } }: SystematicOptions,
): Generator<Case> {
  const [usual] = usualCase(operation, input, tokens);
  if (usual === undefined) return;
  const { request } = usual;
  for (const spelling of spellingsOf(schemas, input, request)) yield { ...spelling, input: undefined, usual };
  for (const body of malformedBodies(operation, input)) {
    yield* irreducibleCase(body.kind, body.fault, withBody(request, body), body.group);
  }
}

/** Generates variants of a request with one value at or beyond a limit of its schema. */
function* limitsOf(
  { parameters, body }: RequestInput,
  { requestOracle, arbitraries, seed }: SystematicOptions,
): Generator<RequestInput> {
  const boundaryValues = createBoundaryValues(requestOracle, arbitraries, seed);
  for (const [index, { parameter, value }] of parameters.entries()) {
    for (const other of boundaryValues(parameter.schema, value, LONG_ELSEWHERE)) {
      yield { body, parameters: parameters.with(index, { parameter, value: other }) };
    }
  }
  const encoding = body && encodingOf(body.content);
  if (body === undefined || encoding === 'binary') return;
  for (const value of boundaryValues(
    body.content.schema,
    body.value,
    encoding === 'json' ? LONG_IN_JSON : LONG_ELSEWHERE,
  )) {
    yield { parameters, body: { content: body.content, value } };
  }
}

/** Shuffles inputs by the seed. */
function shuffled(inputs: readonly RequestInput[], seed: number): readonly RequestInput[] {
  const keyed = inputs.map((input, index) => ({ input, key: hash('sha256', `${String(seed)} ${String(index)}`) }));
  return keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ input }) => input);
}
