import type { ApiOperation } from './api-operation.ts';
import { caseOf, type Case } from './case.ts';
import { badCredentials, credentialsFor, isProtected } from './credentials.ts';
import { exampleCases } from './example-cases.ts';
import { malformedBodies } from './malformed-bodies.ts';
import type { Oracle } from '../values/oracle.ts';
import { variantsOf } from './variants.ts';
import { withBody, writeRequest, type RequestInput } from './wire-request.ts';

// HEAD comes with GET (RFC 9110, 9.3.2), servers may respond to OPTIONS (9.3.7), and CONNECT is for proxies.
const TESTED_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

/**
 * Generates the systematic cases of an operation: the document's examples, plain requests, and variants of them with a
 * single change.
 */
export function* systematicCases(
  operation: ApiOperation,
  oracle: Oracle,
  plainInputs: readonly RequestInput[],
  token: string | undefined,
): Generator<Case> {
  const credentials = credentialsFor(operation, token);
  yield* exampleCases(operation, oracle, plainInputs, token);
  const [first] = plainInputs;
  if (first === undefined) return;

  if (isProtected(operation) && token !== undefined) {
    for (const { fault, credentials: bad } of badCredentials(operation, token)) {
      const request = writeRequest(operation, first, bad);
      if (request !== undefined) yield { kind: 'no authentication', description: fault, request, input: undefined };
    }
  }
  const bare = writeRequest(operation, { ...first, body: undefined }, credentials);
  const [requestPath = ''] = bare?.target.split('?') ?? [];
  const matching = operation.allPaths.filter(({ pattern }) => pattern.test(requestPath));
  const documented = matching.flatMap(({ methods }) => methods);
  for (const method of TESTED_METHODS.filter((name) => !documented.includes(name))) {
    const request = bare && { ...bare, method };
    if (request !== undefined) yield { kind: 'unsupported method', description: method, request, input: undefined };
  }
  for (const input of plainInputs) {
    const request = writeRequest(operation, input, credentials);
    if (request === undefined) continue;
    yield { kind: 'positive', description: 'a plain request', request, input };
    for (const body of malformedBodies(operation, input)) {
      yield { kind: 'negative', description: body.fault, request: withBody(request, body), input: undefined };
    }
  }

  const seen = new Set<string>();
  for (const [index, plain] of plainInputs.entries()) {
    const smaller = plainInputs.slice(0, index).find(({ body }) => body?.content === plain.body?.content);
    for (const variant of [plain, { ...plain, body: undefined }, ...variantsOf(plain, smaller)]) {
      const testCase = caseOf(operation, oracle, variant, token);
      const key = testCase === undefined ? '' : fingerprint(testCase);
      if (testCase === undefined || seen.has(key)) continue;
      seen.add(key);
      yield testCase;
    }
  }
}

function fingerprint({ request: { target, headers, body } }: Case): string {
  return JSON.stringify([target, headers, body?.toString('latin1')]);
}
