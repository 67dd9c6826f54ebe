import type { Logger } from 'pino';
import { createApp } from './engine/http/app.ts';
import { createTokenVerifier } from './engine/auth/token-verifier.ts';
import type { Config } from './engine/process/config.ts';
import { contract } from './plants/contract.ts';
import type { Docs } from './engine/docs/docs.ts';
import { createHandlers } from './plants/handlers.ts';
import { createLoadShedding } from './engine/http/load-shedding.ts';
import type { Observer } from './engine/http/observer.ts';
import { createMetrics } from './engine/ops/metrics.ts';
import { startServer } from './engine/server/server.ts';
import { openPlantStore } from './plants/plant-tables.ts';
import { DatabaseUnavailable } from './engine/database/database.ts';

/** The service while it runs. */
export type Service = {
  /** Where it can be reached. */
  readonly url: string;
  /** Why nobody should send requests to it now, if so. Never rejects. */
  readonly readinessProblem: () => Promise<string | undefined>;
  /** Writes the metrics in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  /**
   * Accepts nothing new, answers what is under way, and lets go of the store.
   *
   * @returns whether everything was answered in time
   */
  readonly stop: () => Promise<boolean>;
};

/**
 * Puts the service together and starts it.
 *
 * @throws {DatabaseUnavailable | MissingHandlers | CannotListen} for whoever runs it to mend
 */
export async function startService(config: Config, docs: Docs | undefined, log: Logger): Promise<Service> {
  const metrics = createMetrics();
  const observer: Observer = {
    answered(request) {
      log.info(request);
      metrics.answered(request);
    },
    refused: metrics.refused,
  };
  const store = await openPlantStore(config.store.location, { ...config.store, onCommit: metrics.committed, log });
  const tokenVerifier = createTokenVerifier(config.auth, log);
  const loadShedding = createLoadShedding(config.loadShedding, log);
  const handlers = createHandlers(store);
  const app = createApp({ ...config, contract, handlers, tokenVerifier, loadShedding, docs, observer, log });
  const server = await startServer(app, { ...config, limits: config.server, observer });
  metrics.gauge('http_requests_in_flight', 'Requests that are being handled.', loadShedding.inFlight);
  metrics.gauge('http_connections', 'Open connections.', server.connectionCount);

  return {
    url: server.url,
    async readinessProblem() {
      try {
        await store.check();
        return undefined;
      } catch (error) {
        if (error instanceof DatabaseUnavailable) return error.message;
        log.error({ err: error }, 'the store could not be asked');
        return 'the store could not be asked';
      }
    },
    metrics: metrics.text,
    async stop() {
      const inTime = await server.stop(config.shutdownGraceMs);
      await store.close();
      return inTime;
    },
  };
}
