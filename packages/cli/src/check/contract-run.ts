import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenApiDocument } from '@contract-first/documents';
import type { ApiOperation } from './api-operation.ts';
import { readBaseUrl } from './base-url.ts';
import { createArbitraries } from '../values/arbitrary.ts';
import { isStateCheck, PROFILES, type CheckName } from './checks.ts';
import { needsUser } from './credentials.ts';
import { readSchemas } from '../values/dialect.ts';
import { NoResponse, openConnection, TIMEOUT_MS, type Connection } from './connection.ts';
import { gatherFindings, type ContractResult } from './contract-result.ts';
import { createCoverage } from './coverage/coverage.ts';
import { createExampleFaults } from './example-cases.ts';
import { haveCredentials, withoutHeaderParameters, type ExtraHeader } from './extra-headers.ts';
import { callHook, hookOperation, type Hooks } from './hooks.ts';
import { listOperations } from './operations.ts';
import { CannotCheck, createOracle } from '../values/oracle.ts';
import type { Observer } from './observation.ts';
import { checkOperation } from './check-operation.ts';
import type { Failure } from './failure.ts';
import type { Run } from './run.ts';
import { runTasks, type Turn } from './schedule.ts';
import { createKnownValues } from './state/known-values.ts';
import { resourceChecks } from './state/resource-checks.ts';
import { assertKnown, matches, select, type Expectation, type GivenValue } from './selection.ts';
import type { Secret } from './secrets.ts';
import { assertPermitted, assertSchemes, openUsers, withMetSecurity, type UserOptions } from './users.ts';
import type { Json } from '../values/json-value.ts';

export type ContractOptions = UserOptions & {
  /** Linted and bundled by `loadContract`. */
  readonly document: OpenApiDocument;
  /** The URL of the server. Its path replaces the base path of the document; `/` is one, and none leaves it. */
  readonly baseUrl: string;
  /** Headers of every request. */
  readonly headers?: readonly ExtraHeader[] | undefined;
  /** Seed of the generator: the same seed generates the same requests. */
  readonly seed?: number | undefined;
  /** The number of generated requests of each kind for each operation, besides the systematic ones. */
  readonly runs?: number | undefined;
  /** The operations to check, by operationId, path, or method and path; all by default. */
  readonly operations?: readonly string[] | undefined;
  /** The tags of further operations to check. */
  readonly tags?: readonly string[] | undefined;
  /** The checks that count. */
  readonly checks?: ReadonlySet<CheckName> | undefined;
  readonly expectations?: readonly Expectation[] | undefined;
  /** Values that the server knows. */
  readonly values?: readonly GivenValue[] | undefined;
  readonly hooks?: Hooks | undefined;
  /** The time limit of each response; none by default. */
  readonly maxResponseTimeMs?: number | undefined;
  /** The size limit of each response; 16 MiB by default. */
  readonly maxResponseBytes?: number | undefined;
  /** The number of requests in a second; any number by default. */
  readonly rate?: number | undefined;
  /** The operations that everyone may use on the resources of others, by operationId, path, or method and path. */
  readonly shared?: readonly string[] | undefined;
  /** The time limit for all operations together; by default, {@link defaultBudgetMs}. */
  readonly budgetMs?: number | undefined;
  /** The number of operations that are checked at the same time. */
  readonly workers?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onExchange?: Observer | undefined;
  /** Receives each failure when it is found, before its request is simplified. */
  readonly onFailure?: ((failure: Failure) => void) | undefined;
  /** Receives each token that is fetched, before it is sent. */
  readonly onSecret?: ((secret: Secret) => void) | undefined;
  /** Receives what is worth knowing before the first request. */
  readonly onNote?: ((note: string) => void) | undefined;
  readonly countsCoverage?: boolean | undefined;
  /** Ends the run early, with what was found. */
  readonly signal?: AbortSignal | undefined;
};

export type Progress = {
  /** The operation of the last request. */
  readonly operationId: string;
  readonly operations: number;
  /** The number of operations with a request. */
  readonly begun: number;
  readonly requests: number;
};

export const DEFAULT_RUNS = 100;
/** As many requests are more than an operation usually needs. */
const REQUESTS_PER_OPERATION = 1_000;
const JUDGING_LIMIT_MS = 2_000;
const PATIENCE_MS = 1_000;

/** Returns the time limit for a number of operations, where a number of requests is sent in a second at most. */
export function defaultBudgetMs(operations: number, rate = Infinity): number {
  return 20_000 + 1_000 * operations * (1 + REQUESTS_PER_OPERATION / rate);
}

/**
 * Checks a running service against an OpenAPI document, with generated requests.
 *
 * @throws {CannotCheck} when the server is unreachable, an operation or a tag is unknown, or a token is missing
 */
export async function checkContract(options: ContractOptions): Promise<ContractResult> {
  const { document, seed = 0, runs = DEFAULT_RUNS, headers = [], onProgress } = options;
  const { expectations = [], values = [], shared = [], hooks = {} } = options;
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
  const documented = listOperations(requestSchemas, responseSchemas, servedAt).map((operation) =>
    withMetSecurity(operation, options),
  );
  assertSchemes(document, options);
  assertKnown(documented, [...[...expectations, ...values].flatMap(({ operation = [] }) => operation), ...shared]);
  const selected = select(documented, options.operations ?? [], options.tags ?? []);
  for (const operation of selected) if (!haveCredentials(headers, operation)) assertPermitted(operation, options);
  const [upgrades, checkable] = partition(selected, isUpgrade);
  const operations = checkable.map((operation) => withoutHeaderParameters(operation, headers));
  const notes = upgrades.map(
    ({ operationId }) => `${operationId}: not checked, as it only switches to another protocol`,
  );
  if (selected.length === 0) notes.push('the document has no operations: nothing was checked');
  const requestOracle = createOracle(requestSchemas);
  const coverage =
    options.countsCoverage === true ? createCoverage(operations, requestSchemas, requestOracle) : undefined;
  const budgetMs = options.budgetMs ?? defaultBudgetMs(operations.length, rate);
  const endsAt = performance.now() + budgetMs;
  // A request that is sent at the last moment may still time out.
  const signal = AbortSignal.any([
    AbortSignal.timeout(budgetMs + TIMEOUT_MS),
    ...(options.signal ? [options.signal] : []),
  ]);
  const connection = openConnection(url, { maxResponseBytes, rate, signal });
  const begun = new Set<string>();
  let requests = 0;
  const users = await openUsers(options, operations, {
    ...{ baseUrl: url, connection },
    onSecret: options.onSecret ?? (() => undefined),
    onProblem: (problem) => notes.push(problem),
  });
  if (operations.some((operation) => needsUser(operation, users.tokens)))
    options.onNote?.('the token has no colon: as Basic credentials, it is the password of the user "user"');
  const run: Run = {
    ...{ connection, users, tokens: users.tokens, headers, seed, runs, checks, maxResponseTimeMs, signal },
    ...{ requestSchemas, responseSchemas, requestOracle },
    responseOracle: createOracle(responseSchemas, JUDGING_LIMIT_MS),
    arbitraries: createArbitraries(requestSchemas, requestOracle),
    exampleFaults: createExampleFaults(requestOracle),
    expectedStatuses: (operation) => new Set(expectations.flatMap((one) => statusesFor(operation, one))),
    isShared: (operation) => shared.some((name) => matches(operation, name)),
    givenValues: (operation, salt) =>
      new Map([
        ...valuesFor(operation, salt, values),
        ...Object.entries(hooks.values?.(hookOperation(operation)) ?? {}),
      ]),
    hooks,
    onRequest: ({ operationId }) => {
      requests += 1;
      begun.add(operationId);
      onProgress?.({ operationId, operations: operations.length, begun: begun.size, requests });
    },
    onFailure: (failure) => options.onFailure?.(failure),
    onExchange: (observation) => {
      coverage?.observe(observation);
      onExchange?.(observation);
    },
  };
  try {
    await assertReachable(connection, url);
    await callHook('setUp', () => hooks.setUp?.({ url: url.href }));
    // Resources come first and alone: the requests of other tasks could change them, and would make their lists long.
    const resources = await runTasks(resourceChecks(operations, run), { budgetMs: budgetMs / 2, workers, signal });
    const knownValues = createKnownValues(operations, run);
    const creators = operations.map((operation) => (turn: Turn) => checkOperation(operation, run, turn, knownValues));
    const finished = await runTasks(creators, { budgetMs: endsAt - performance.now(), workers, signal });
    const { checked, ...findings } = gatherFindings(finished, resources);
    const heldSeconds = Math.ceil(connection.heldMs() / 1_000);
    if (heldSeconds > 0) notes.push(`the server asked to wait: ${String(heldSeconds)} s in all (Retry-After)`);
    const applicable = [...checks].filter(
      (check) => !isOff(check, run) && (!isStateCheck(check) || resources.length > 0),
    );
    return {
      ...{ seed, operations: selected.map(({ operationId }) => operationId), requests },
      ...findings,
      unused: requests === 0 ? [] : applicable.filter((check) => !checked.has(check)),
      notes: [...notes, ...findings.notes],
      coverage: coverage?.result(),
    };
  } finally {
    await callHook('cleanUp', () => hooks.cleanUp?.());
    connection.close();
  }
}

/** Returns whether a check applies only with an option that is not set. */
function isOff(check: CheckName, { maxResponseTimeMs, users }: Run): boolean {
  if (check === 'own_check') return true;
  if (check === 'object_level_authorization') return users.otherTokens === undefined;
  return check === 'max_response_time' && maxResponseTimeMs === undefined;
}

function statusesFor(operation: ApiOperation, expectation: Expectation): readonly number[] {
  const { operation: name, statuses } = expectation;
  return name === undefined || matches(operation, name) ? statuses : [];
}

/** Returns the given values for an operation by name, one for each. */
function valuesFor(operation: ApiOperation, salt: number, given: readonly GivenValue[]): ReadonlyMap<string, Json> {
  const own = given.filter(({ operation: name }) => name === undefined || matches(operation, name));
  const chosen = [...Map.groupBy(own, ({ name }) => name)].flatMap(([name, entries]) => {
    const entry = entries[salt % entries.length];
    return entry === undefined ? [] : [[name, entry.value] as const];
  });
  return new Map(chosen);
}

/** Returns whether an operation has no responses but those that switch to another protocol. */
function isUpgrade({ responses }: ApiOperation): boolean {
  const statuses = Object.keys(responses);
  return statuses.length > 0 && statuses.every((status) => status.startsWith('1'));
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [readonly Item[], readonly Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/** Fails early when the server is unreachable; ignores the response, and does not wait long for it. */
async function assertReachable(connection: Connection, url: URL): Promise<void> {
  try {
    const response = connection.sendOnce({ method: 'GET', target: url.pathname, headers: [], body: undefined });
    await Promise.race([response, sleep(PATIENCE_MS, undefined, { ref: false })]);
  } catch (error) {
    if (error instanceof NoResponse && error.isUnreachable)
      throw new CannotCheck(`${url.origin}: ${error.message}`, { cause: error });
    if (!(error instanceof NoResponse)) throw error;
  }
}
