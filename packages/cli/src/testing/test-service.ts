import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Application } from '@contract-first/engine';
import { createSilentLog, readConfig, startService } from '@contract-first/engine/tools';
import { openConnection } from '../check/connection.ts';
import { createCheckers } from '../mock/credentials.ts';

/** A serialized request. */
export type TestRequest = {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
};

/** The response to a request. The service has validated it against the document. */
export type TestResponse = {
  readonly status: number;
  /** In the order of arrival, names in lower case. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
};

/** A service that runs for tests. */
export type TestService = {
  /** Sends a request and returns its response. */
  readonly send: (request: TestRequest) => Promise<TestResponse>;
  /** Stops the service and removes its store. */
  readonly close: () => Promise<void>;
};

const ENVIRONMENT = { PORT: '0', API_TOKENS: 'test-token' };

/** Starts a service on a free port, with an empty store. Every security scheme accepts `test-token`. */
export async function openTestService(application: Application): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'service-'));
  const variables = { ...ENVIRONMENT, DATABASE_URL: `sqlite:${join(folder, 'test.db')}` };
  const read = await readConfig(variables, application.database);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  const checkers = createCheckers(application.contract.securitySchemes, ENVIRONMENT);
  const tested: Application = {
    ...application,
    open: async (database) => ({ ...(await application.open(database)), checkers }),
  };
  const service = await startService(tested, read.config, createSilentLog());
  return {
    async send({ method, target, headers, body }) {
      const connection = openConnection(new URL(service.url));
      try {
        const bytes = body === undefined ? undefined : Buffer.from(body);
        const response = await connection.send({ method, target, headers, body: bytes });
        return { ...response, body: response.body.toString() };
      } finally {
        connection.close();
      }
    },
    async close() {
      await service.stop(0);
      await rm(folder, { recursive: true });
    },
  };
}
