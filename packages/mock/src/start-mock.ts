/**
 * The mock in the tests of a client.
 *
 * @module contract-first/mock
 */

import { fileURLToPath } from 'node:url';
import { compileContract, formatDiagnostic } from '@contract-first/documents';
import { readFileCorrections } from '@contract-first/model/resources';
import { startSilently } from '@contract-first/engine/tools';
import { createMock, DEFAULTS, EVENT_LOOP_DELAY_LIMIT_MS, LEAST, MAX_INTEGER } from './application.ts';
import type { MockState } from './memory/state/data.ts';

export type { MockState };

/** A mock that runs in this process. */
export type Mock = {
  /** Its address: `http://127.0.0.1:40123`. The base path of the document is not part of it. */
  readonly url: string;
  /** Returns a copy of the stored resources. */
  readonly state: () => MockState;
  /** Stores other resources in place of all. @throws an error with the problems of the state, one line each */
  readonly replaceState: (state: MockState) => void;
  /** Returns to the state of the start: the examples of the document. */
  readonly reset: () => void;
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** Options of a mock. `seed`, `limit` and `config` have the defaults of the command. */
export type MockOptions = {
  readonly seed?: number;
  readonly limit?: number;
  /** The file with corrections of the resources. */
  readonly config?: string;
  /** The files outside of the folder of the document that it may refer to. */
  readonly allowRefs?: readonly ('files' | 'http')[];
  /** Its environment variables, such as `API_TOKENS` and `CORS_ORIGINS`. Those of the process have no effect. */
  readonly variables?: Readonly<Record<string, string>>;
};

/**
 * Starts the mock of an OpenAPI document in this process, on a free port of the loopback interface.
 *
 * @param document its path, or its file URL
 * @throws an error with all diagnostics of a document that is rejected, or all mistakes in the options, one line each
 */
export async function startMock(document: string | URL, options: MockOptions = {}): Promise<Mock> {
  const { seed = DEFAULTS.seed, limit = DEFAULTS.limit, config, allowRefs = [], variables = {} } = options;
  assertIntegers({ seed, limit });
  const path = typeof document === 'string' ? document : fileURLToPath(document);
  const { compiled, diagnostics } = await compileContract(path, new Set(allowRefs));
  if (compiled === undefined)
    throw new Error([`${path} was rejected`, ...diagnostics.map(formatDiagnostic)].join('\n'));
  const { application, memory } = createMock(compiled, undefined, {
    seed,
    memory: { limit, corrections: readFileCorrections(config) },
    env: variables,
  });
  const service = await startSilently(application, { EVENT_LOOP_DELAY_LIMIT_MS, ...variables });
  let stopped: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    stopped ??= service.stop(0);
    await stopped;
  };
  const { state, replaceState, reset } = memory;
  return { url: service.url, state, replaceState, reset, close, [Symbol.asyncDispose]: close };
}

/** Checks options that are integers. @throws an error with all mistakes, one line each */
function assertIntegers(options: Readonly<typeof LEAST>): void {
  const problems = (['seed', 'limit'] as const).flatMap((name) => {
    const [value, least] = [options[name], LEAST[name]];
    if (Number.isInteger(value) && value >= least && value <= MAX_INTEGER) return [];
    return [`${name} must be an integer from ${String(least)} to ${String(MAX_INTEGER)}, not ${String(value)}`];
  });
  if (problems.length > 0) throw new Error(problems.join('\n'));
}
