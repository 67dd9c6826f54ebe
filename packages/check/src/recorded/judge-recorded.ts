import { TimeLimitExceeded } from '@contract-first/contract';
import type { Oracle } from '@contract-first/model/values';
import type { ApiOperation } from '@contract-first/model/operations';
import { type Case, type CaseKind, decideKind } from '@contract-first/model/cases';
import {
  excerptOf,
  isInAuthorization,
  isProtected,
  type Redactor,
  type WireRequest,
} from '@contract-first/model/requests';
import {
  checksFor,
  violationOf,
  violationsIn,
  withoutConsequences,
  type CheckName,
  type FailedCheck,
} from '../judgement/checks.ts';
import { isUndocumentedRejection, noResponse } from '../judgement/conformance.ts';
import { haveCredentials } from '../run/extra-headers.ts';
import { isSuccess } from '../judgement/statuses.ts';
import { classifyRequest, UNDECIDED, type Classification } from './classify-request.ts';
import type { Match } from './match-operation.ts';
import type { RecordedExchange } from '@contract-first/model/requests';

export type JudgeOptions = {
  /** Validates against the request schemas. */
  readonly requestOracle: Oracle;
  /** Validates against the response schemas. */
  readonly responseOracle: Oracle;
  /** Redacts secrets in messages. */
  readonly redactor: Redactor;
  readonly checks: ReadonlySet<CheckName>;
  readonly maxResponseTimeMs: number | undefined;
  readonly maxResponseBytes: number | undefined;
};

/** The result of checking a recorded exchange. */
export type Judgement = {
  readonly testCase: Case;
  /** The enabled checks that apply. */
  readonly checks: readonly CheckName[];
  readonly violations: readonly FailedCheck[];
  /** Whether the response rejects a faulty request with an undocumented status. */
  readonly isUndocumentedRejection: boolean;
};

// A recording does not show whether the server's state and rules allow valid data.
const NOT_KNOWABLE: readonly CheckName[] = ['positive_data_acceptance'];

/** Runs the checks on a recorded exchange that its recorded parts allow. */
export function judgeRecorded(
  { operation, path, hasMethod }: Match,
  exchange: RecordedExchange,
  { requestOracle, responseOracle, redactor, checks, maxResponseTimeMs, maxResponseBytes }: JudgeOptions,
): Judgement {
  const { request, hasAllHeaders, response, isResponseComplete, broken } = exchange;
  const testCase = caseOf();
  const unknown = new Set<CheckName>([
    ...NOT_KNOWABLE,
    ...(isResponseComplete ? [] : (['response_schema_conformance'] as const)),
    ...(maxResponseTimeMs === undefined ? (['max_response_time'] as const) : []),
    ...(maxResponseBytes === undefined ? (['max_response_size'] as const) : []),
  ]);
  const counted: readonly CheckName[] = checksFor(testCase.kind).filter(
    (check) => checks.has(check) && !unknown.has(check) && (response !== undefined || check === 'not_a_server_error'),
  );
  if (response === undefined) {
    const { received = excerptOf(Buffer.alloc(0)), cause = 'there is none' } = broken ?? {};
    const violations = counted.map((check) => violationOf(check, noResponse(received, cause)));
    return { testCase, checks: counted, violations, isUndocumentedRejection: false };
  }
  const expectedStatuses = new Set<number>();
  const limitBytes = response.body.length > (maxResponseBytes ?? Infinity) ? maxResponseBytes : undefined;
  const judged = {
    operation: hasAllHeaders ? operation : withoutSetCookie(operation),
    testCase,
    response: { ...response, limitBytes },
    requestOracle,
    responseOracle,
    redactor,
    maxResponseTimeMs,
    expectedStatuses,
  };
  return {
    testCase,
    checks: counted,
    violations: withoutConsequences(violationsIn(judged).filter(({ check }) => counted.includes(check))),
    isUndocumentedRejection: testCase.kind !== 'unsupported method' && isUndocumentedRejection(judged),
  };

  function caseOf(): Case {
    const plain = (kind: CaseKind, description: string = kind): Case => ({
      kind,
      description,
      request,
      input: undefined,
    });
    if (!hasMethod) return plain(request.method === 'HEAD' ? 'header fields only' : 'unsupported method');
    if (response?.status === 401 && operation.security.flat().length > 0) return plain('no authentication');
    const isSuccessful = response !== undefined && isSuccess(response.status);
    if (isSuccessful && hasAllHeaders && lacksCredentials(operation, request))
      return plain('no authentication', 'no credentials');
    const classified = { ...classifyInTime(), request };
    // The server may have rejected an invalid request for another reason.
    const isRejected = response !== undefined && !isSuccessful && response.status < 500;
    if (isRejected && classified.kind !== 'positive') return plain('undecided');
    return { ...classified, kind: decideKind(operation, requestOracle, classified) };
  }

  function classifyInTime(): Classification {
    try {
      return classifyRequest(operation, path, requestOracle, exchange);
    } catch (error) {
      if (error instanceof TimeLimitExceeded) return UNDECIDED;
      throw error;
    }
  }
}

/** Returns a copy of an operation without Set-Cookie, which browsers omit from exported archives. */
function withoutSetCookie(operation: ApiOperation): ApiOperation {
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const headers = response.headers.filter(({ name }) => name !== 'set-cookie');
    return [status, { ...response, headers }] as const;
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}

/** Returns whether a request to a protected operation has neither credentials nor a possibly undocumented cookie. */
function lacksCredentials(operation: ApiOperation, { target, headers }: WireRequest): boolean {
  const schemes = operation.security.flat();
  const query = new URLSearchParams(target.split('?').slice(1).join('?'));
  return (
    isProtected(operation) &&
    schemes.every((scheme) => isInAuthorization(scheme) || scheme.type === 'apiKey') &&
    !haveCredentials(headers, operation) &&
    !headers.some(([name]) => name.toLowerCase() === 'cookie') &&
    !schemes.some(({ in: place, name = '' }) => place === 'query' && query.has(name))
  );
}

/** Returns whether a request with an undocumented method was rejected, so that nothing is wrong with the response. */
export function isRejectedMethod({ operation, hasMethod }: Match, { request, response }: RecordedExchange): boolean {
  if (hasMethod || response === undefined) return false;
  return request.method === 'HEAD' ? operation.method !== 'GET' : !isSuccess(response.status);
}
