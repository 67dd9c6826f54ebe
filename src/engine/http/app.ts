import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import findClientAddress, { compile as compileTrust } from 'proxy-addr';
import { createAuthenticator } from '../auth/authenticator.ts';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import { failureResponse, send } from './response.ts';
import { unexpectedFailure } from './failure.ts';
import { createPipeline, type PipelineOptions } from './pipeline.ts';

type AppOptions = Omit<PipelineOptions, 'authenticatorOf' | 'clientAddressOf'> & {
  /** Whether an operation without a handler is an error; otherwise it is answered 501. */
  readonly production: boolean;
  readonly tokenVerifier: TokenVerifier;
  /** The proxies whose X-Forwarded-For is believed: addresses, subnets, `loopback`, `linklocal`, `uniquelocal`. */
  readonly trustProxy: readonly string[];
  /** Serves the docs page, and passes other requests on. */
  readonly docs?: ((req: IncomingMessage, res: ServerResponse, next: () => void) => void) | undefined;
};

/** Operations of the contract have no handler yet. */
export class MissingHandlers extends Error {}

/**
 * Creates the Express application. It serves exactly the contract, and the docs page if there is one.
 *
 * @throws {MissingHandlers} in production, when an operation has no handler
 * @throws {Error} when a security scheme has no checker; the generator refuses such a contract
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
      clientAddressOf: createClientAddress(trustProxy),
    }),
  );
  // Express recognises an error handler by its four parameters.
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    log.error({ err: error }, 'request failed');
    send(req, res, failureResponse(unexpectedFailure()));
  });
  return app;
}

/** Returns the last address in X-Forwarded-For that is not a trusted proxy, or else the address of the connection. */
function createClientAddress(trusted: readonly string[]): (req: IncomingMessage) => string | undefined {
  const trust = compileTrust([...trusted]);
  const find = (req: IncomingMessage): string | undefined =>
    trusted.length === 0 ? req.socket.remoteAddress : findClientAddress(req, trust);
  // A socket that listens on IPv6 reports IPv4 addresses as ::ffff:127.0.0.1.
  return (req) => find(req)?.replace(/^::ffff:(?=\d+\.)/i, '');
}
