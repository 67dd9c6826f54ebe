/**
 * Runs the mock in the tests of a client.
 *
 * @module contract-first/mock
 */

import { fileURLToPath } from 'node:url';
import { compileContract, formatDiagnostic } from '@contract-first/documents';
import { startSilently } from '@contract-first/engine/tools';
import { createMock, EVENT_LOOP_DELAY_LIMIT_MS } from './application.ts';
import type { MockState } from './memory/state/data.ts';
import { type ProgramOptions, readProgramOptions } from './options.ts';

export type { MockState };

/** A running mock in this process. */
export type Mock = {
  /** The origin, without the base path of the document: `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Returns a copy of the stored resources. */
  readonly state: () => MockState;
  /** Replaces all resources. @throws an error with the problems of the state, one per line */
  readonly replaceState: (state: MockState) => void;
  /** Restores the initial state: the examples of the document. */
  readonly reset: () => void;
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** Options of a mock. They have the names, in camel case, and the defaults of the command's options. */
export type MockOptions = ProgramOptions & {
  /** The environment variables, such as `API_TOKENS` and `CORS_ORIGINS`. `process.env` is ignored. */
  readonly variables?: Readonly<Record<string, string>>;
};

/**
 * Starts the mock of an OpenAPI document in this process, on a free port of the loopback interface.
 *
 * @param document the path or file URL of the document
 * @throws an error with all diagnostics of a rejected document, or all problems of the options, one per line
 */
export async function startMock(document: string | URL, options: MockOptions = {}): Promise<Mock> {
  const { variables = {}, ...others } = options;
  const { allowedRefs, seed, limit, dataPath, corrections, scenarios } = readProgramOptions(others);
  const path = typeof document === 'string' ? document : fileURLToPath(document);
  const { compiled, diagnostics } = await compileContract(path, allowedRefs);
  if (compiled === undefined)
    throw new Error([`${path} was rejected`, ...diagnostics.map(formatDiagnostic)].join('\n'));
  const { application, memory } = createMock(compiled, undefined, {
    seed,
    memory: limit === undefined ? undefined : { limit, dataPath, corrections },
    env: variables,
    scenarios,
  });
  const service = await startSilently(application, { EVENT_LOOP_DELAY_LIMIT_MS, ...variables });
  let stopped: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    stopped ??= service.stop(0);
    await stopped;
  };
  const { state, replaceState, reset } = memory ?? NO_MEMORY;
  return { url: service.url, state, replaceState, reset, close, [Symbol.asyncDispose]: close };
}

const NO_MEMORY: Pick<Mock, 'state' | 'replaceState' | 'reset'> = {
  state: () => ({}),
  replaceState: () => {
    throw new Error('a stateless mock has no state');
  },
  reset: () => undefined,
};
