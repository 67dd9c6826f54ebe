import type { RequestListener } from 'node:http';
import pino from 'pino';
import { hashToken } from '../../engine/src/auth/tokens.ts';
import type { Contract } from '@contract-first/contract';
import type { DatabaseLocation } from '@contract-first/database';
import type { Docs } from '../../engine/src/docs/docs.ts';
import type { LoadSheddingLimits } from '../../engine/src/http/accept/load-shedding.ts';
import { readConfig, type AnyHandler } from '@contract-first/engine/tools';
import type { Config } from '../../engine/src/process/config.ts';
import { type RunningServer, type ServerLimits, startServer } from '../../engine/src/server/server.ts';
import type { Application, Checker, Middleware } from '@contract-first/engine';
import { createService } from '../../engine/src/create-service.ts';
import type { ServiceConfig } from '../../engine/src/open-application.ts';
import { cleanUp } from './cleanup.ts';

export const TOKEN = 'test-token';

export type TestServer = RunningServer & {
  /** Returns the reached limits, one entry per rejected request or connection. */
  readonly refused: () => Promise<readonly string[]>;
};

/** A served application. */
export type ServedApp = {
  readonly app: RequestListener;
  /** Listens on a free port until the test ends. */
  readonly serve: (limits?: Partial<ServerLimits>) => Promise<TestServer>;
  /** All log lines. */
  readonly logged: readonly Record<string, unknown>[];
  /** Returns the metrics in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
};

/** Parts of an application to replace in a test. */
export type Overrides = Partial<ServiceConfig> & {
  readonly contract?: Contract;
  readonly formats?: Application['formats'];
  /** Handlers that replace the application's handlers of the same name. */
  readonly handlers?: Readonly<Record<string, AnyHandler>>;
  /** Functions added to the application's failures. */
  readonly failures?: Application['failures'];
  readonly failureStatus?: Application['failureStatus'] | undefined;
  readonly ignoresInvalidCredentials?: boolean;
  readonly failureHeaders?: Application['failureHeaders'];
  readonly checkers?: Readonly<Record<string, Checker>>;
  readonly middleware?: readonly Middleware[];
  readonly codecs?: Application['codecs'];
  readonly docs?: Docs | undefined;
};

/** Returns the default configuration. */
async function readDefaults(application: Application<DatabaseLocation>): Promise<Config> {
  const read = await readConfig({ PORT: '0', EVENT_LOOP_DELAY_LIMIT_MS: '60000' }, application.database);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  return read.config;
}

/** Composes the service of an application in this process, like `npm start`. The token of every caller is `TOKEN`. */
export async function serveApplication(
  application: Application<DatabaseLocation>,
  overrides: Overrides = {},
  loadShedding?: LoadSheddingLimits,
): Promise<ServedApp> {
  const {
    contract = application.contract,
    handlers = {},
    failures = {},
    failureStatus = () => undefined,
    ignoresInvalidCredentials = false,
    failureHeaders = () => ({}),
    checkers = {},
    middleware = [],
    codecs = {},
    formats = {},
    docs,
    ...config
  } = overrides;
  const defaults = await readDefaults(application);
  const logged: Record<string, unknown>[] = [];
  const write = (line: string): void => {
    logged.push(JSON.parse(line) as Record<string, unknown>);
  };
  const open: Application<DatabaseLocation>['open'] = async (options) => {
    const opened = await application.open(options);
    return { ...opened, handlers: { ...opened.handlers, ...handlers }, checkers, middleware };
  };
  const auth = { tokens: [hashToken('tester', TOKEN)], tokensFile: undefined, jwt: undefined };
  const service = await createService(
    [
      {
        application: {
          ...application,
          contract,
          failures: { ...application.failures, ...failures },
          failureStatus,
          ignoresInvalidCredentials,
          failureHeaders,
          codecs,
          formats,
          open,
        },
        config: defaults,
        docs,
      },
    ],
    { ...defaults, production: true, auth, loadShedding: loadShedding ?? defaults.loadShedding, ...config },
    pino({ base: null }, { write }),
  );
  const { app, messageClasses, metrics } = service;
  const refused = async (): Promise<readonly string[]> => {
    const counts = (await metrics.text()).matchAll(/^http_requests_refused_total\{limit="(\w+)"\} (\d+)$/gm);
    return [...counts].flatMap(([, limit = '', count]) => Array<string>(Number(count)).fill(limit));
  };
  const serve = async (limits: Partial<ServerLimits> = {}): Promise<TestServer> => {
    const options = { limits: { ...defaults.server, ...limits }, messageClasses, rejections: () => service };
    const server = await startServer(app, { ...defaults.listen, ...options });
    cleanUp(async () => {
      await server.stop(0);
    });
    const stop = (graceMs: number): Promise<boolean> => {
      service.beginStop();
      return server.stop(graceMs);
    };
    return { ...server, stop, refused };
  };
  return { app, serve, logged, metrics: metrics.text };
}
