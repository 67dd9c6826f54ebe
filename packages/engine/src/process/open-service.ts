import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Application } from '../application.ts';
import { openDocs } from '../docs/docs.ts';
import { unavailableFailure } from '../http/failure.ts';
import { send } from '../http/reply/send.ts';
import { isBelow, type MountedRequest } from '../http/mounts.ts';
import { readConfig } from './config.ts';
import { createLog } from './log.ts';

/** An application mounted in another server. */
export type MountedService = {
  /**
   * Express middleware that answers every request. If mounted below a path, the document's paths are below that path,
   * unless the document's servers already include it.
   */
  readonly middleware: (req: IncomingMessage, res: ServerResponse) => void;
  /** Returns why requests cannot be handled now; `undefined` when they can. Never rejects. */
  readonly readinessProblem: () => Promise<string | undefined>;
  /** Returns the metrics in Prometheus' text format. */
  readonly metrics: () => Promise<string>;
  /** Ends endless streams, waits for all pending responses, and closes the application. Later requests get a 503. */
  readonly close: () => Promise<void>;
};

/**
 * Opens an application without a server, as middleware for an Express application. Reads the same environment variables
 * as `run`, except the server's. In development without credentials, logs the token of this run as a warning.
 *
 * @throws an error with the problems of the configuration, one line each, or with the reason why the start failed
 */
export async function openService(application: Application): Promise<MountedService> {
  const { contract, database, document, settings, state } = application;
  const read = await readConfig(process.env, database, settings);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  const { config } = read;
  const { developmentToken: token } = config;
  const log = await createLog(config.logLevel, process.stdout.isTTY);
  const docs = openDocs(config.docs, contract, document, state);
  // Loaded on demand, since commands on an application also import the engine, and need no server.
  const { createService } = await import('../create-service.ts');
  const { app, mounts, metrics, failureResponse, readinessProblem, beginStop, close, acceptsTokens } =
    await createService([{ application, config, docs }], config, log);
  if (token !== undefined && acceptsTokens)
    log.warn({ token }, 'no credentials are configured; this token is for this run');
  const idle = Promise.withResolvers<undefined>();
  let pending = 0;
  let closing: Promise<void> | undefined;
  return {
    middleware(req: MountedRequest, res) {
      const { baseUrl = '', originalUrl } = req;
      if (baseUrl !== '' && mounts.some((path) => isBelow(path, baseUrl))) req.url = originalUrl;
      if (res.closed) return; // The client disconnected while earlier middleware was waiting.
      if (closing !== undefined) {
        send(req, res, failureResponse(unavailableFailure()));
        return;
      }
      pending += 1;
      res.once('close', () => {
        pending -= 1;
        if (pending === 0 && closing !== undefined) idle.resolve(undefined);
      });
      app(req, res);
    },
    readinessProblem,
    metrics: metrics.text,
    close() {
      closing ??= (async () => {
        beginStop();
        if (pending > 0) await idle.promise;
        await close();
      })();
      return closing;
    },
  };
}
