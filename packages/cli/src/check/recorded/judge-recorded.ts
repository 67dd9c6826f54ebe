import type { ApiOperation } from '../api-operation.ts';
import { decideKind, type Case, type CaseKind } from '../case.ts';
import { checksFor, violationOf, violationsIn, type CheckName, type Violation } from '../checks.ts';
import { isUndocumentedRejection } from '../conformance.ts';
import { defectOf } from '../defect.ts';
import type { Oracle } from '../../values/oracle.ts';
import { classifyRequest } from './classify-request.ts';
import type { Match } from './match-operation.ts';
import type { RecordedExchange } from './recorded-exchange.ts';

export type JudgeOptions = {
  /** Validates by the schemas for requests. */
  readonly requestOracle: Oracle;
  /** Validates by the schemas for responses. */
  readonly responseOracle: Oracle;
  readonly checks: ReadonlySet<CheckName>;
  readonly maxResponseTimeMs: number | undefined;
  readonly maxResponseBytes: number | undefined;
};

/** The judgement of a recorded exchange. */
export type Judgement = {
  readonly testCase: Case;
  /** The checks that count. */
  readonly checks: readonly CheckName[];
  readonly violations: readonly Violation[];
  /** Whether the response is the rejection of a faulty request with a status that the document does not describe. */
  readonly isUndocumentedRejection: boolean;
};

// Only the server knows whether its state or its rules allow valid data.
const NOT_KNOWABLE: readonly CheckName[] = ['positive_data_acceptance'];
const OF_BODY: readonly CheckName[] = ['response_schema_conformance'];
const OF_WHOLE_RESPONSE: CheckName = 'not_a_server_error';

/** Judges a recorded exchange by the checks whose verdict it allows. */
export function judgeRecorded(
  { operation, path, hasMethod }: Match,
  exchange: RecordedExchange,
  { requestOracle, responseOracle, checks, maxResponseTimeMs, maxResponseBytes }: JudgeOptions,
): Judgement {
  const { request, response, isResponseComplete, broken } = exchange;
  const testCase = caseOf();
  const counted = checksFor(testCase.kind).filter(
    (check) =>
      checks.has(check) &&
      !NOT_KNOWABLE.includes(check) &&
      (isResponseComplete || !OF_BODY.includes(check)) &&
      (check !== 'max_response_time' || maxResponseTimeMs !== undefined) &&
      (check !== 'max_response_size' || maxResponseBytes !== undefined) &&
      (response !== undefined || check === OF_WHOLE_RESPONSE),
  );
  if (response === undefined) {
    const message = `${(broken?.received.totalBytes ?? 0) > 0 ? 'the response is incomplete' : 'no response'}: ${broken?.cause ?? ''}`;
    const violations = counted.map((check) => violationOf(check, defectOf(message)));
    return { testCase, checks: counted, violations, isUndocumentedRejection: false };
  }
  const expectedStatuses = new Set<number>();
  const limitBytes = response.body.length > (maxResponseBytes ?? Infinity) ? maxResponseBytes : undefined;
  const limited = { ...response, limitBytes };
  const judged = {
    operation,
    testCase,
    response: limited,
    requestOracle,
    responseOracle,
    maxResponseTimeMs,
    expectedStatuses,
  };
  return {
    testCase,
    checks: counted,
    violations: violationsIn(judged).filter(({ check }) => (counted as readonly CheckName[]).includes(check)),
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
    const classified = { ...classifyRequest(operation, path, requestOracle, exchange), request };
    // A request that was not accepted may have been rejected for any reason.
    if (response !== undefined && isFaulty(classified.kind) && !isAccepted(response.status)) return plain('undecided');
    return { ...classified, kind: decideKind(operation, requestOracle, classified) };
  }
}

/** Whether a recorded exchange is one of those that the document does not describe. */
export function isBeyondDocument({ operation, hasMethod }: Match, { request, response }: RecordedExchange): boolean {
  if (hasMethod || response === undefined) return false;
  return request.method === 'HEAD' ? !isReadable(operation) : !isAccepted(response.status);
}

function isReadable({ method }: ApiOperation): boolean {
  return method === 'GET';
}

function isFaulty(kind: CaseKind): boolean {
  return kind === 'negative' || kind === 'missing header';
}

function isAccepted(status: number): boolean {
  return status >= 200 && status < 300;
}
