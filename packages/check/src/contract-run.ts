import { setTimeout as sleep } from 'node:timers/promises';
import { memoizeByObject } from '@contract-first/contract';
import { type ApiOperation, readOperations } from '@contract-first/model/operations';
import { CannotCheck, createArbitraries, createOracle, readSchemas } from '@contract-first/model/values';
import {
  type Connection,
  createRedactor,
  needsUser,
  NoResponse,
  openConnection,
  TIMEOUT_MS,
} from '@contract-first/model/requests';
import { createExampleFaults, createValidInputs } from '@contract-first/model/cases';
import { assertCorrections } from '@contract-first/model/resources';
import { readBaseUrl } from './run/base-url.ts';
import { isStateCheck, PROFILES, type CheckName } from './judgement/checks.ts';
import { DEFAULT_RUNS, type ContractOptions } from './run/contract-options.ts';
import { gatherFindings, type ContractResult } from './run/contract-result.ts';
import { createCoverage } from './coverage/coverage.ts';
import { createKeys } from './run/idempotency-keys.ts';
import { haveCredentials, withoutHeaderParameters } from './run/extra-headers.ts';
import { callHook, hookOperation } from './run/hooks.ts';
import { checkOperation } from './probing/check-operation.ts';
import type { OperationCheck } from './run/operation-result.ts';
import type { Observation } from './judgement/observation.ts';
import type { Run } from './run/run.ts';
import { type FinishedTask, runTasks, type Turn } from './run/schedule.ts';
import { createKnownValues, resourcePath } from './sequences/known-values.ts';
import { findUnfollowed, resourceChecks } from './sequences/resource-checks.ts';
import { isSuccess } from './judgement/statuses.ts';
import { assertKnown, createValueUse, matchesSelection, select, statusesFor, givenValuesFor } from './run/selection.ts';
import { assertSchemes, describeNeed, hasCredentialsFor, openUsers, withSatisfiedSecurity } from './run/users.ts';

/** A generous number of requests per operation. */
const REQUESTS_PER_OPERATION = 1_000;
const JUDGING_LIMIT_MS = 2_000;
const PATIENCE_MS = 1_000;
const OTHER_USER_CHECK: CheckName = 'object_level_authorization';
const OTHER_USER = 'no request of the second user was judged';

/** Returns the default time limit for a number of operations and a maximum number of requests per second. */
function defaultBudgetMs(operations: number, rate = Infinity): number {
  return 20_000 + 1_000 * operations * (1 + REQUESTS_PER_OPERATION / rate);
}

/**
 * Checks a running service against an OpenAPI document with generated requests.
 *
 * @throws {CannotCheck} if the server is unreachable, an operation or a tag is unknown, or a token is missing
 */
export async function checkContract(options: ContractOptions): Promise<ContractResult> {
  const { document, seed = 0, runs = DEFAULT_RUNS, headers = [], onProgress } = options;
  const { expectations = [], values = [], shared = [], corrections = new Map(), hooks = {} } = options;
  const {
    checks = new Set(PROFILES.default),
    workers = 1,
    maxResponseTimeMs,
    maxResponseBytes,
    rate,
    onExchange,
  } = options;
  const { url, servedAt } = readBaseUrl(options.baseUrl);
  const requestSchemas = readSchemas(document, 'request');
  const responseSchemas = readSchemas(document, 'response');
  const documented = readOperations(requestSchemas, responseSchemas, servedAt).map((operation) =>
    withSatisfiedSecurity(operation, options),
  );
  assertSchemes(document, options);
  assertKnown(documented, [...[...expectations, ...values].flatMap(({ operation = [] }) => operation), ...shared]);
  assertCorrections(documented, corrections, { requestSchemas, responseSchemas });
  const selected = select(documented, options);
  const [permitted, forbidden] = partition(
    selected,
    (operation) => haveCredentials(headers, operation) || hasCredentialsFor(operation, options),
  );
  const need = describeNeed(forbidden, options);
  if (need !== undefined && (permitted.length === 0 || options.isIncompleteAllowed !== true))
    throw new CannotCheck(need + (permitted.length === 0 ? '' : '; --allow-incomplete checks the others'));
  const [upgrades, checkable] = partition(permitted, isUpgrade);
  const operations = checkable.map((operation) => withoutHeaderParameters(operation, headers));
  const notes = upgrades.map(
    ({ operationId }) => `${operationId}: not checked, as it only switches to another protocol`,
  );
  if (need !== undefined) notes.push(`not checked: ${need}`);
  if (selected.length === 0) notes.push('the document has no operations: nothing was checked');
  const requestOracle = createOracle(requestSchemas);
  const arbitraries = createArbitraries(requestSchemas, requestOracle);
  const coverage =
    options.countsCoverage === true ? createCoverage(operations, requestSchemas, requestOracle) : undefined;
  const budgetMs = options.budgetMs ?? defaultBudgetMs(operations.length, rate);
  const endsAt = performance.now() + budgetMs;
  // The last request may take until its own timeout.
  const signal = AbortSignal.any([
    AbortSignal.timeout(budgetMs + TIMEOUT_MS),
    ...(options.signal ? [options.signal] : []),
  ]);
  const connection = openConnection(url, { maxResponseBytes, rate, tls: options.tls, signal });
  const begun = new Set<string>();
  let requests = 0;
  const users = await openUsers(options, operations, {
    documented,
    baseUrl: url,
    connection,
    tls: options.tls,
    onSecret: options.onSecret ?? (() => undefined),
    onProblem: (problem) => notes.push(problem),
  });
  if (operations.some((operation) => needsUser(operation, users.tokens)))
    options.onNote?.('the token has no colon: as Basic credentials, it is the password of the user "user"');
  const deleted = new Set<string>();
  const valueUse = createValueUse(values);
  const run: Run = {
    connection,
    users,
    tokens: users.tokens,
    headers,
    seed,
    runs,
    checks,
    maxResponseTimeMs,
    signal,
    requestSchemas,
    responseSchemas,
    requestOracle,
    responseOracle: createOracle(responseSchemas, JUDGING_LIMIT_MS),
    arbitraries,
    inputsOf: memoizeByObject((operation: ApiOperation) => createValidInputs(operation, arbitraries, requestOracle)),
    withOwnKey: createKeys(requestOracle),
    exampleFaults: createExampleFaults(requestOracle),
    redactor: options.redactor ?? createRedactor({ document, secrets: [], isRecorded: false }),
    expectedStatuses: (operation) => statusesFor(operation, expectations),
    isShared: (operation) => shared.some((name) => matchesSelection(operation, name)),
    givenValues: (operation, salt) =>
      new Map([
        ...givenValuesFor(operation, salt, [...values, ...users.values]),
        ...Object.entries(hooks.values?.(hookOperation(operation)) ?? {}),
      ]),
    onGivenValue: valueUse.add,
    corrections,
    hooks,
    deleted,
    created: new Map(),
    echoes: new Set(),
    faults: new Set(),
    mayWait: createAllowance(budgetMs / operations.length),
    onRequest: ({ operationId }) => {
      requests += 1;
      begun.add(operationId);
      onProgress?.({ operationId, operations: operations.length, begun: begun.size, requests });
    },
    onFailure: (failure) => options.onFailure?.(failure),
    onExchange: (observation) => {
      noteDeletion(deleted, observation);
      coverage?.observe(observation);
      onExchange?.(observation);
    },
  };
  try {
    await assertReachable(connection, url, options.onNote);
    await callHook('setUp', () => hooks.setUp?.({ url: url.href }));
    // Check resources first, since other tasks could change them and make lists long.
    const resources: FinishedTask<OperationCheck>[] = [];
    const resourcesEndAt = performance.now() + budgetMs / 2;
    for (const group of resourceChecks(operations, run)) {
      const limits = { budgetMs: resourcesEndAt - performance.now(), workers, signal };
      resources.push(...(await runTasks(group, limits)));
    }
    const knownValues = createKnownValues(operations, run);
    const creators = operations.map((operation) => (turn: Turn) => checkOperation(operation, run, turn, knownValues));
    const finished = await runTasks(creators, { budgetMs: endsAt - performance.now(), workers, signal });
    const { checked, ...findings } = gatherFindings([...finished, ...resources], findUnfollowed(operations, run), run);
    const heldSeconds = Math.ceil(connection.heldMs() / 1_000);
    if (heldSeconds > 0) notes.push(`the server asked to wait: ${String(heldSeconds)} s in all (Retry-After)`);
    const isMissed = (check: CheckName): boolean => checks.has(check) && !isOff(check, run) && !checked.has(check);
    // If no sequence was judged, notes have the reasons.
    const isSilent = (check: CheckName): boolean => isStateCheck(check) && ![...checked].some(isStateCheck);
    const applicable = [...checks].filter(
      (check) => !isOff(check, run) && (!isSilent(check) || check === OTHER_USER_CHECK),
    );
    return {
      seed,
      operations: selected.map(({ operationId }) => operationId),
      requests,
      ...findings,
      incomplete: [...forbidden.map(({ operationId }) => operationId), ...findings.incomplete],
      unsuccessful:
        findings.unsuccessful ??
        (isMissed(OTHER_USER_CHECK) && options.operations === undefined ? OTHER_USER : undefined),
      unused: requests === 0 ? [] : applicable.filter((check) => !checked.has(check)),
      notes: [...notes, ...valueUse.describeUnused(operations, requestSchemas), ...findings.notes],
      coverage: coverage?.result(),
    };
  } finally {
    await callHook('cleanUp', () => hooks.cleanUp?.());
    connection.close();
  }
}

/** Creates a function that decides about waits, so that no operation holds the run for longer than its share. */
function createAllowance(shareMs: number): Run['mayWait'] {
  const waits = new Map<ApiOperation, number>();
  return (operation, delayMs) => {
    const totalMs = (waits.get(operation) ?? 0) + delayMs;
    if (totalMs <= shareMs) waits.set(operation, totalMs);
    return totalMs <= shareMs;
  };
}

/** Records the path of a successful DELETE. After another successful request, removes the path, as it exists again. */
function noteDeletion(deleted: Set<string>, { request, response }: Observation): void {
  if (response === undefined || !isSuccess(response.status)) return;
  const path = resourcePath(request.target);
  if (request.method === 'DELETE') deleted.add(path);
  else deleted.delete(path);
}

/** Returns whether a check is off because its option is not set. */
function isOff(check: CheckName, { maxResponseTimeMs, users }: Run): boolean {
  if (check === 'own_check') return true;
  if (check === OTHER_USER_CHECK) return users.otherTokens === undefined;
  return check === 'max_response_time' && maxResponseTimeMs === undefined;
}

/** Returns whether all responses of an operation switch to another protocol. */
function isUpgrade({ responses }: ApiOperation): boolean {
  const statuses = Object.keys(responses);
  return statuses.length > 0 && statuses.every((status) => status.startsWith('1'));
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [readonly Item[], readonly Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/**
 * Sends a request and waits briefly. Ignores the response.
 *
 * @throws {CannotCheck} if the server is unreachable, or does not speak HTTP/1.1
 */
async function assertReachable(connection: Connection, url: URL, onNote: ContractOptions['onNote']): Promise<void> {
  try {
    const response = connection.sendOnce({ method: 'GET', target: url.pathname, headers: [], body: undefined });
    response.catch(() => undefined); // May fail after the wait.
    const first = await Promise.race([response, sleep(PATIENCE_MS, undefined, { ref: false })]);
    if (first === undefined)
      onNote?.(`${url.origin}: no response to the first request within ${String(PATIENCE_MS)} ms; the run goes on`);
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    const problem = error.problem ?? (error.isUnreachable ? error.message : undefined);
    if (problem !== undefined) throw new CannotCheck(`${url.origin}: ${problem}`, { cause: error });
  }
}
