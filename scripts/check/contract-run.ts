import type { OpenApiDocument } from '../contract/load.ts';
import type { ApiOperation } from './api-operation.ts';
import { createArbitraries } from './arbitrary.ts';
import { CHECK_NAMES, type CheckName } from './checks.ts';
import { isProtected } from './credentials.ts';
import { readSchemas } from './dialect.ts';
import { NoAnswer, openConnection, type Connection } from './exchange.ts';
import { checkOperation } from './operation-run.ts';
import { listOperations } from './operations.ts';
import { CannotCheck, createOracle } from './oracle.ts';
import type { Failure } from './prober.ts';

export type ContractOptions = {
  /** Checked and bundled, as `loadContract` gives it. */
  readonly document: OpenApiDocument;
  /** Where the server is. Without a path of its own, the document's base path is added. */
  readonly baseUrl: string;
  /** What the server accepts as a token, key or `user:password`. */
  readonly token?: string | undefined;
  /** The same seed makes the same requests. */
  readonly seed?: number | undefined;
  /** Generated requests of each kind for each operation, besides those that are always tried. */
  readonly runs?: number | undefined;
  /** The one operationId to check; all when left out. */
  readonly operation?: string | undefined;
  /** The time for all operations together. */
  readonly budgetMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
};

export type Progress = {
  readonly operationId: string;
  /** Operations that are done. */
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
  /** The checks that no operation gave anything to look at. */
  readonly unused: readonly CheckName[];
  /** What was left out, for people. */
  readonly notes: readonly string[];
};

export const DEFAULT_RUNS = 100;
const DEFAULT_BUDGET_MS = 25_000;

/**
 * Checks a running service against an OpenAPI document, with generated requests.
 *
 * @throws {CannotCheck} when nothing can be said: nobody listens, there is no such operation, a token is needed
 */
export async function checkContract(options: ContractOptions): Promise<ContractResult> {
  const { document, token, seed = 0, runs = DEFAULT_RUNS, budgetMs = DEFAULT_BUDGET_MS, onProgress } = options;
  const url = readBaseUrl(options.baseUrl);
  const requestSchemas = readSchemas(document, 'request');
  const responseSchemas = readSchemas(document, 'response');
  const operations = select(listOperations(requestSchemas, responseSchemas, url.pathname), options.operation);
  const closed = operations.find(isProtected);
  if (closed !== undefined && token === undefined)
    throw new CannotCheck(`${closed.operationId} needs a token: --token`);

  const requestOracle = createOracle(requestSchemas);
  const responseOracle = createOracle(responseSchemas);
  const arbitraries = createArbitraries(requestSchemas, requestOracle);
  const connection = openConnection(url);
  const startedAt = performance.now();
  const failures: Failure[] = [];
  const checked = new Set<CheckName>();
  const notes: string[] = [];
  let requests = 0;
  try {
    await mustListen(connection, url);
    for (const [done, operation] of operations.entries()) {
      const { operationId } = operation;
      // What one operation leaves of its share goes to those after it.
      const share = (startedAt + budgetMs - performance.now()) / (operations.length - done);
      const report = (): void =>
        onProgress?.({ operationId, done, total: operations.length, requests, failures: failures.length });
      const onRequest = (): void => {
        requests += 1;
        report();
      };
      const deadline = performance.now() + share;
      const oracles = { requestOracle, responseOracle, arbitraries };
      const result = await checkOperation(operation, {
        connection,
        ...oracles,
        token,
        seed,
        runs,
        deadline,
        onRequest,
      });
      failures.push(...result.failures);
      result.checked.forEach((check) => checked.add(check));
      notes.push(...result.notes.map((note) => `${operationId}: ${note}`));
    }
  } finally {
    connection.close();
  }
  const unused = CHECK_NAMES.filter((check) => !checked.has(check));
  return { seed, operations: operations.length, requests, failures, unused, notes };
}

function select(operations: readonly ApiOperation[], wanted: string | undefined): readonly ApiOperation[] {
  const selected = operations.filter(({ operationId }) => wanted === undefined || operationId === wanted);
  if (selected.length > 0) return selected;
  const known = operations.map(({ operationId }) => operationId).join(', ');
  throw new CannotCheck(
    known === '' ? 'the document has no operations' : `there is no operation ${wanted ?? ''}, only ${known}`,
  );
}

function readBaseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new CannotCheck(`${text} is not the address of a server: http://127.0.0.1:3000`);
}

/** Any answer will do; what the checks are for comes later. */
async function mustListen(connection: Connection, url: URL): Promise<void> {
  try {
    await connection.send({ method: 'GET', target: url.pathname, headers: [], body: undefined });
  } catch (error) {
    if (error instanceof NoAnswer && error.isUnreachable)
      throw new CannotCheck(`${url.origin}: ${error.message}`, { cause: error });
    if (!(error instanceof NoAnswer)) throw error;
  }
}
