import { afterAll, beforeAll } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { openConnection } from '../../scripts/check/connection.ts';
import { createCheckers } from '../../scripts/mock/credentials.ts';
import { startService, type Application } from '../../src/engine/create-service.ts';
import { readConfig } from '../../src/engine/process/config.ts';
import { application } from '../../src/service.ts';

/** A serialized request. */
export type TestRequest = {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
};

const env = { PORT: '0', API_TOKENS: 'test-token' };

/** Starts the service before the tests of a file, with an empty store. Every security scheme accepts `test-token`. */
export function startTestService() {
  let folder = '';
  let service: Awaited<ReturnType<typeof startService>> | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'NAME-'));
    const variables = { ...env, DATABASE_URL: `sqlite:${join(folder, 'test.db')}` };
    const read = await readConfig(variables, application.defaultDatabaseUrl);
    if ('problems' in read) throw new Error(read.problems.join('\n'));
    const checkers = createCheckers(application.contract.securitySchemes, env);
    const tested: Application = {
      ...application,
      open: async (database) => ({ ...(await application.open(database)), checkers }),
    };
    service = await startService(tested, read.config, pino({ level: 'silent' }));
  });
  afterAll(async () => {
    await service?.stop(0);
    await rm(folder, { recursive: true });
  });
  return {
    /** Sends a request and returns its response. The service validates the response against the document. */
    async send({ method, target, headers, body }: TestRequest) {
      if (service === undefined) throw new Error('the service has not started');
      const connection = openConnection(new URL(service.url));
      try {
        const bytes = body === undefined ? undefined : Buffer.from(body);
        const response = await connection.send({ method, target, headers, body: bytes });
        return { ...response, body: response.body.toString() };
      } finally {
        connection.close();
      }
    },
  };
}
