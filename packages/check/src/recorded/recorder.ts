import type { Secret } from '@contract-first/command-line/options';
import type { OpenApiDocument } from '@contract-first/documents';
import { type ApiOperation, readOperations } from '@contract-first/model/operations';
import {
  createRedactor,
  EXCERPT_BYTES,
  excerptOf,
  isInAuthorization,
  toKeptResponse,
  type KeptResponse,
  type WireRequest,
} from '@contract-first/model/requests';
import { createOracle, readSchemas } from '@contract-first/model/values';
import { createCoverage } from '../coverage/coverage.ts';
import { type CheckName, PROFILES } from '../judgement/checks.ts';
import { headerOf } from '../judgement/conformance.ts';
import { type CheckFailure, recordFailure } from '../judgement/failures.ts';
import type { CheckObserver } from '../judgement/observation.ts';
import { NOT_IMPLEMENTED } from '../judgement/statuses.ts';
import type { ContractResult } from '../run/contract-result.ts';
import { select, type Selection } from '../run/selection.ts';
import { isRejectedMethod, judgeRecorded } from './judge-recorded.ts';
import { type Match, matchOperation } from './match-operation.ts';
import type { RecordedExchange } from '@contract-first/model/requests';

export type RecorderOptions = Selection & {
  /** Linted and bundled by `loadContract`. */
  readonly document: OpenApiDocument;
  /** The path that replaces the document's base path; `undefined` keeps the base path. */
  readonly servedAt: string | undefined;
  readonly checks?: ReadonlySet<CheckName> | undefined;
  /** Values to redact, in addition to values with secret names in the exchanges. */
  readonly secrets: readonly Secret[];
  readonly maxResponseTimeMs?: number | undefined;
  readonly maxResponseBytes?: number | undefined;
  readonly countsCoverage?: boolean | undefined;
  readonly onExchange: CheckObserver;
  /** Receives each new failure. */
  readonly onFailure?: ((failure: CheckFailure) => void) | undefined;
};

/** Judges recorded exchanges. */
export type Recorder = {
  readonly judge: (exchange: RecordedExchange) => void;
  /** Counts an exchange that is not judged. */
  readonly skip: (reason: string) => void;
  readonly result: () => ContractResult;
};

type Kept = { readonly failure: CheckFailure };
/** An exchange with redacted secrets. */
type Shown = { readonly request: WireRequest; readonly response: KeptResponse | undefined };

const JUDGING_LIMIT_MS = 2_000;

/**
 * Creates a recorder. It keeps one failure per operation, check and cause.
 *
 * @throws {CannotCheck} if an operation or a tag is unknown
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const {
    document,
    checks = new Set(PROFILES.default),
    maxResponseTimeMs,
    maxResponseBytes,
    onExchange,
    onFailure,
  } = options;
  const requestSchemas = readSchemas(document, 'request');
  const responseSchemas = readSchemas(document, 'response');
  const documented = readOperations(requestSchemas, responseSchemas, options.servedAt);
  const selected = new Set(select(documented, options));
  const requestOracle = createOracle(requestSchemas, JUDGING_LIMIT_MS);
  const responseOracle = createOracle(responseSchemas, JUDGING_LIMIT_MS);
  const redactor = createRedactor({ document, url: options.servedAt, secrets: options.secrets, isRecorded: true });
  const judging = { requestOracle, responseOracle, redactor, checks, maxResponseTimeMs, maxResponseBytes };
  const coverage =
    options.countsCoverage === true ? createCoverage([...selected], requestSchemas, requestOracle) : undefined;
  const failures = new Map<ApiOperation, Map<string, Kept>>(); // The keys are all operations with a request.
  const notImplemented = new Set<string>();
  const undocumented = new Map<string, Set<number>>();
  const skipped = new Tallies();
  const unmatched = new Tallies();
  let requests = 0;
  return {
    judge,
    skip: (reason) => {
      skipped.add(reason);
    },
    result,
  };

  function judge(exchange: RecordedExchange): void {
    const shown = redact(exchange);
    const match = matchOperation(documented, exchange.request);
    const reason = reasonToSkip(match, exchange);
    if (reason !== undefined) skipped.add(reason);
    else if (match === undefined || isRejectedMethod(match, exchange))
      unmatched.add(describeUnmatched(match, { ...exchange, request: shown.request }));
    else if (selected.has(match.operation)) judgeMatched(match, exchange, shown);
  }

  function redact({ request, response }: RecordedExchange): Shown {
    const kept = response && toKeptResponse(response);
    redactor.learn(request, kept);
    return { request: redactor.request(request), response: kept && redactor.response(kept) };
  }

  function judgeMatched(match: Match, exchange: RecordedExchange, shown: Shown): void {
    const { operation } = match;
    const { operationId } = operation;
    const { request, response, startedAt, durationMs } = exchange;
    // An archive of the proxy has an entry for each judged request.
    const { place = `entry ${String(requests)}, ${startedAt.toISOString()}` } = exchange;
    requests += 1;
    const known = failures.get(operation) ?? new Map<string, Kept>();
    failures.set(operation, known);
    const isNotImplemented = response?.status === NOT_IMPLEMENTED;
    if (isNotImplemented) notImplemented.add(operationId);
    const { testCase, checks: counted, violations, isUndocumentedRejection } = judgeRecorded(match, exchange, judging);
    const failed = isNotImplemented ? [] : violations;
    if (isUndocumentedRejection && response !== undefined && !checks.has('documented_rejection'))
      undocumented.set(operationId, (undocumented.get(operationId) ?? new Set()).add(response.status));
    if (response !== undefined && !exchange.isResponseComplete)
      skipped.add('bodies of responses that the recording lacks, cuts or hides');
    const observed = { operation, startedAt, durationMs, checks: counted };
    coverage?.observe({ ...observed, testCase, request, response: response && toKeptResponse(response), failed });
    onExchange({
      ...observed,
      ...shown,
      testCase: { ...testCase, request: shown.request, input: undefined },
      failed,
    });
    for (const violation of failed) {
      const sent = essentialRequest(operation, shown.request);
      const recorded = { place, variables: redactor.variablesIn(sent) };
      const received = redactor.excerpt(exchange.broken?.received ?? excerptOf(Buffer.alloc(0)));
      const evidence = { request: sent, response: shown.response, received, passedWith: undefined };
      const failure: CheckFailure = { ...violation, operationId, ...evidence, recorded };
      if (recordFailure(known, { failure })) onFailure?.(failure);
    }
  }

  function result(): ContractResult {
    const unseen = [...selected].filter((operation) => !failures.has(operation)).map(({ operationId }) => operationId);
    return {
      seed: undefined,
      requests,
      unused: [],
      incomplete: [],
      errors: [],
      operations: [...failures.keys()].map(({ operationId }) => operationId),
      failures: [...failures.values()].flatMap((known) => [...known.values()].map(({ failure }) => failure)),
      notImplemented: [...notImplemented],
      unsuccessful: requests > 0 ? undefined : describeNothing(),
      notes: [
        ...[...undocumented].map(([operationId, statuses]) => `${operationId}: ${describeStatuses(statuses)}`),
        ...unmatched.list().map((text) => `not in the document: ${text}`),
        ...skipped.list().map((text) => `not judged: ${text}`),
        ...(unseen.length > 0 && requests > 0 ? [`operations without a recorded request: ${unseen.join(', ')}`] : []),
      ],
      coverage: coverage?.result(),
    };
  }

  function describeNothing(): string {
    const [path = 'none'] = documented.map(({ paths: [first] }) => first?.path);
    return unmatched.size === 0
      ? 'no request was judged: there was none'
      : `no request was judged, since none fits a path of the document, such as ${path}: is the base path right?`;
  }
}

const MAX_NAMES = 10;
// Limits memory, since the number of unknown paths is unlimited.
const MAX_KEPT = 1_000;
const AND = new Intl.ListFormat('en-GB');

/** Counts the occurrences of texts. */
class Tallies {
  readonly #counts = new Map<string, number>();

  add(text: string): void {
    const count = this.#counts.get(text);
    if (count !== undefined || this.#counts.size < MAX_KEPT) this.#counts.set(text, (count ?? 0) + 1);
  }

  get size(): number {
    return this.#counts.size;
  }

  /** Returns the most frequent texts with their counts. */
  list(): readonly string[] {
    const sorted = [...this.#counts].sort(([, one], [, other]) => other - one);
    const more = sorted.length - MAX_NAMES;
    const lines = sorted.slice(0, MAX_NAMES).map(([text, count]) => `${text} (${String(count)})`);
    return more > 0 ? [...lines, `${String(more)} more`] : lines;
  }
}

/** Returns the reason why an exchange cannot be judged, or `undefined`. */
function reasonToSkip(match: Match | undefined, { request, response }: RecordedExchange): string | undefined {
  const requestHeaders = request.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  if (request.method === 'OPTIONS' && match?.hasMethod !== true) return 'OPTIONS requests, such as CORS preflights';
  if (response === undefined) return undefined;
  const { status } = response;
  if (status === 101) return 'connections that switch to another protocol';
  if (status === 304) return 'responses with status 304: the client has the body';
  // Chrome records its internal redirects, such as a redirect to https, as responses.
  if (headerOf(response, 'non-authoritative-reason') !== undefined) return 'redirects of the browser itself';
  const isPartial = headerOf({ headers: requestHeaders }, 'range') !== undefined && (status === 206 || status === 416);
  return isPartial ? 'ranges of a body' : undefined;
}

/** Describes a request without an operation. */
function describeUnmatched(match: Match | undefined, { request, response }: RecordedExchange): string {
  const [path = ''] = request.target.split('?');
  const subject = match === undefined ? path : match.path;
  const answer = response === undefined ? '' : ` got ${String(response.status)}`;
  return `${request.method} ${subject}${answer}`;
}

/** Describes undocumented statuses of rejections. */
function describeStatuses(statuses: ReadonlySet<number>): string {
  const list = AND.format([...statuses].sort((one, other) => one - other).map(String));
  return `responds ${list}, which the document does not describe`;
}

// Headers that affect how servers process a request, in addition to the documented headers.
const ESSENTIAL = /^(?:content-type|accept|cookie|if-.*|idempotency-key|prefer|x-http-method-override)$/;

// Reports print no more than this.
const MAX_BODY_BYTES = 2 * EXCERPT_BYTES;

/** Returns a copy of a request with only the relevant headers and the beginning of its body. */
function essentialRequest({ parameters, security }: ApiOperation, request: WireRequest): WireRequest {
  const schemes = security.flat();
  const keys = schemes.flatMap((scheme) => (scheme.in === 'header' ? (scheme.name ?? []) : []));
  const documented = parameters.flatMap((parameter) => (parameter.in === 'header' ? parameter.name : []));
  const names = [...keys, ...documented, ...(schemes.some(isInAuthorization) ? ['Authorization'] : [])];
  const kept = new Set(names.map((name) => name.toLowerCase()));
  const headers = request.headers.filter(
    ([name]) => kept.has(name.toLowerCase()) || ESSENTIAL.test(name.toLowerCase()),
  );
  const { body } = request;
  return { ...request, headers, body: body && Buffer.from(body.subarray(0, MAX_BODY_BYTES)) };
}
