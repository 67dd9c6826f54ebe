import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import findClientAddress, { compile as compileTrust } from 'proxy-addr';
import { createAuthenticator } from '../auth/authenticator.ts';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import { KeysUnavailable } from '../auth/key-set.ts';
import type { Contract } from '../contract/contract.ts';
import type { Docs } from '../docs/docs.ts';
import type { LoadShedding } from './load-shedding.ts';
import { failureResponse, send } from './response.ts';
import { unavailableFailure, unexpectedFailure, type Failure } from './failure.ts';
import type { Observer } from './observer.ts';
import { createPipeline, type AnyHandler } from './pipeline.ts';
import { DatabaseUnavailable } from '../database/database.ts';

export type AppOptions = {
  readonly contract: Contract;
  /** By operationId. */
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** Whether an operation without a handler is an error; while one is being written, it is answered 501. */
  readonly production: boolean;
  /** Tells who a client is. */
  readonly tokenVerifier: TokenVerifier;
  readonly loadShedding: LoadShedding;
  readonly bodyLimitBytes: number;
  /** The proxies whose X-Forwarded-For is believed: addresses, subnets, `loopback`, `linklocal`, `uniquelocal`. */
  readonly trustProxy: readonly string[];
  /** The docs page, if there is to be one. */
  readonly docs?: Docs | undefined;
  readonly observer: Observer;
  readonly log: Logger;
};

/** The service is not finished: operations of the contract have no handler yet. */
export class MissingHandlers extends Error {}

/**
 * Puts the service together, without a port: an Express application. What it serves is exactly the contract, and the
 * docs page if there is one.
 *
 * @throws {MissingHandlers} in production, when an operation has no handler
 * @throws {Error} when there is no checker for a security scheme; the generator refuses such a contract
 */
export function createApp(options: AppOptions): Express {
  const { contract, handlers, production, tokenVerifier, trustProxy, docs, log } = options;
  const missing = Object.keys(contract.operations).filter((operationId) => !Object.hasOwn(handlers, operationId));
  if (production && missing.length > 0) {
    throw new MissingHandlers(
      `no handler for ${missing.join(', ')}: with NODE_ENV=production every operation must have one`,
    );
  }

  const app = express();
  app.disable('x-powered-by');
  if (docs !== undefined) app.use(docs);
  app.use(
    createPipeline({
      ...options,
      authenticatorOf: createAuthenticator(contract.securitySchemes, tokenVerifier),
      failureOf,
      clientAddressOf: createClientAddress(trustProxy),
    }),
  );
  // Express knows an error handler by its four parameters.
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    log.error({ err: error }, 'request failed');
    send(req, res, failureResponse(unexpectedFailure()));
  });
  return app;
}

/** The address of the last one in X-Forwarded-For that no trusted proxy has put there, or else of the connection. */
function createClientAddress(trusted: readonly string[]): (req: IncomingMessage) => string | undefined {
  const trust = compileTrust([...trusted]);
  const find = (req: IncomingMessage): string | undefined =>
    trusted.length === 0 ? req.socket.remoteAddress : findClientAddress(req, trust);
  // A socket that listens on IPv6 writes the addresses of IPv4 in its own way.
  return (req) => find(req)?.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** What a client is told of an error of the parts that the pipeline does not know. */
function failureOf(error: unknown): Failure | undefined {
  return error instanceof DatabaseUnavailable || error instanceof KeysUnavailable ? unavailableFailure() : undefined;
}
