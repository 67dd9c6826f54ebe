import type { ApiOperation } from './api-operation.ts';
import type { Case } from './case.ts';
import { badCredentials, credentialsFor, isProtected } from './credentials.ts';
import { judge } from './judgement.ts';
import { malformedBodies } from './malformed.ts';
import type { Oracle } from './oracle.ts';
import { variantsOf } from './variants.ts';
import { withBody, writeRequest, type RequestInput } from './wire-request.ts';

// HEAD comes with GET (RFC 9110, 9.3.2), OPTIONS is for any server to answer (9.3.7), CONNECT is for proxies.
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

/** The cases that are tried whatever the number of runs: each way to go wrong, one at a time, from plain requests. */
export function* coverageCases(
  operation: ApiOperation,
  oracle: Oracle,
  plainInputs: readonly RequestInput[],
  token: string | undefined,
): Generator<Case> {
  const credentials = credentialsFor(operation, token);
  const [first] = plainInputs;
  if (first === undefined) return;

  if (isProtected(operation) && token !== undefined) {
    for (const { fault, credentials: bad } of badCredentials(operation, token)) {
      const request = writeRequest(operation, first, bad);
      if (request !== undefined) yield { kind: 'no authentication', what: fault, request, input: undefined };
    }
  }
  for (const method of METHODS.filter((name) => !operation.pathMethods.includes(name))) {
    const request = writeRequest({ ...operation, method }, { ...first, body: undefined }, credentials);
    if (request !== undefined) yield { kind: 'unsupported method', what: method, request, input: undefined };
  }
  for (const input of plainInputs) {
    const request = writeRequest(operation, input, credentials);
    if (request === undefined) continue;
    yield { kind: 'positive', what: 'a plain request', request, input };
    for (const body of malformedBodies(operation, input)) {
      yield { kind: 'negative', what: body.fault, request: withBody(request, body), input: undefined };
    }
  }

  const seen = new Set<string>();
  for (const [index, plain] of plainInputs.entries()) {
    const smaller = plainInputs.slice(0, index).find(({ body }) => body?.content === plain.body?.content);
    for (const variant of [plain, { ...plain, body: undefined }, ...variantsOf(plain, smaller)]) {
      const made = caseOf(operation, oracle, variant, token);
      const key = made === undefined ? '' : fingerprint(made);
      if (made === undefined || seen.has(key)) continue;
      seen.add(key);
      yield made;
    }
  }
}

/** The case that a request is; `undefined` when it cannot be written or proves nothing. */
export function caseOf(
  operation: ApiOperation,
  oracle: Oracle,
  input: RequestInput,
  token: string | undefined,
): Case | undefined {
  const kind = judge(operation, oracle, input);
  if (kind === undefined) return undefined;
  const request = writeRequest(operation, input, credentialsFor(operation, token));
  return request && { kind, what: kind, request, input };
}

function fingerprint({ request: { target, headers, body } }: Case): string {
  return JSON.stringify([target, headers, body?.toString('latin1')]);
}
