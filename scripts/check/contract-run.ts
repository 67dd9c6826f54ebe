import type { OpenApiDocument } from '../openapi/reference.ts';
import type { ApiOperation } from './api-operation.ts';
import { createArbitraries } from '../values/arbitrary.ts';
import { CHECK_NAMES, type CheckName } from './checks.ts';
import { isProtected } from './credentials.ts';
import { readSchemas } from '../values/dialect.ts';
import { NoResponse, openConnection, type Connection } from './connection.ts';
import { checkOperation } from './check-operation.ts';
import { listOperations } from './operations.ts';
import { CannotCheck, createOracle } from '../values/oracle.ts';
import type { Failure } from './prober.ts';

export type ContractOptions = {
  /** Linted and bundled by `loadContract`. */
  readonly document: OpenApiDocument;
  /** The URL of the server. The base path of the document is appended to a URL without a path. */
  readonly baseUrl: string;
  /** Valid credentials: a bearer token, an API key, a password or `user:password`. */
  readonly token?: string | undefined;
  /** Seed of the generator: the same seed generates the same requests. */
  readonly seed?: number | undefined;
  /** The number of generated requests of each kind for each operation, besides the systematic ones. */
  readonly runs?: number | undefined;
  /** The operationId to check; all operations by default. */
  readonly operation?: string | undefined;
  /** The time limit of each response; none by default. */
  readonly maxResponseTimeMs?: number | undefined;
  /** The time limit for all operations together. */
  readonly budgetMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
};

export type Progress = {
  readonly operationId: string;
  /** The number of finished operations. */
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  readonly failures: number;
};

export type ContractResult = {
  readonly seed: number;
  readonly operations: number;
  readonly requests: number;
  readonly failures: readonly Failure[];
  /** The checks that applied to no request. */
  readonly unused: readonly CheckName[];
  /** The operations that answered valid requests 501. */
  readonly notImplemented: readonly string[];
  /** Messages about undocumented rejections, and about requests that could not be tried. */
  readonly notes: readonly string[];
};

export const DEFAULT_RUNS = 100;
const DEFAULT_BUDGET_MS = 25_000;

/**
 * Checks a running service against an OpenAPI document, with generated requests.
 *
 * @throws {CannotCheck} when the server is unreachable, the operation is unknown or a token is missing
 */
export async function checkContract(options: ContractOptions): Promise<ContractResult> {
  const {
    document,
    token,
    seed = 0,
    runs = DEFAULT_RUNS,
    budgetMs = DEFAULT_BUDGET_MS,
    maxResponseTimeMs,
    onProgress,
  } = options;
  const url = readBaseUrl(options.baseUrl);
  const requestSchemas = readSchemas(document, 'request');
  const responseSchemas = readSchemas(document, 'response');
  const operations = select(listOperations(requestSchemas, responseSchemas, url.pathname), options.operation);
  const protectedOperation = operations.find(isProtected);
  if (protectedOperation !== undefined && token === undefined)
    throw new CannotCheck(`${protectedOperation.operationId} needs a token: --token`);

  const requestOracle = createOracle(requestSchemas);
  const responseOracle = createOracle(responseSchemas);
  const arbitraries = createArbitraries(requestSchemas, requestOracle);
  const connection = openConnection(url);
  const shared = { connection, requestOracle, responseOracle, arbitraries, token, seed, runs, maxResponseTimeMs };
  const startedAt = performance.now();
  const failures: Failure[] = [];
  const checked = new Set<CheckName>();
  const notImplemented: string[] = [];
  const notes = operations.length === 0 ? ['the document has no operations: nothing was checked'] : [];
  let requests = 0;
  try {
    await assertReachable(connection, url);
    for (const [done, operation] of operations.entries()) {
      const { operationId } = operation;
      const statuses = Object.keys(operation.responses);
      if (statuses.length > 0 && statuses.every((status) => status.startsWith('1'))) {
        notes.push(`${operationId}: not checked, as it only switches to another protocol`);
        continue;
      }
      // Later operations share the time that earlier ones have not used.
      const share = (startedAt + budgetMs - performance.now()) / (operations.length - done);
      const deadline = performance.now() + share;
      const onRequest = (): void => {
        requests += 1;
        onProgress?.({ operationId, done, total: operations.length, requests, failures: failures.length });
      };
      const result = await checkOperation(operation, { ...shared, deadline, onRequest });
      failures.push(...result.failures);
      if (result.isNotImplemented) notImplemented.push(operationId);
      result.checked.forEach((check) => checked.add(check));
      notes.push(...result.notes.map((note) => `${operationId}: ${note}`));
    }
  } finally {
    connection.close();
  }
  const isOff = (check: CheckName): boolean => check === 'max_response_time' && maxResponseTimeMs === undefined;
  const unused = requests === 0 ? [] : CHECK_NAMES.filter((check) => !checked.has(check) && !isOff(check));
  return { seed, operations: operations.length, requests, failures, unused, notImplemented, notes };
}

function select(operations: readonly ApiOperation[], requested: string | undefined): readonly ApiOperation[] {
  if (requested === undefined) return operations;
  const selected = operations.filter(({ operationId }) => operationId === requested);
  if (selected.length > 0) return selected;
  const existing = operations.map(({ operationId }) => operationId).join(', ');
  throw new CannotCheck(`unknown operation ${requested}; the document has ${existing || 'none'}`);
}

function readBaseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new CannotCheck(`${text} is not an http or https URL such as http://127.0.0.1:3000`);
}

/** Fails early when the server is unreachable; ignores the response. */
async function assertReachable(connection: Connection, url: URL): Promise<void> {
  try {
    await connection.send({ method: 'GET', target: url.pathname, headers: [], body: undefined });
  } catch (error) {
    if (error instanceof NoResponse && error.isUnreachable)
      throw new CannotCheck(`${url.origin}: ${error.message}`, { cause: error });
    if (!(error instanceof NoResponse)) throw error;
  }
}
