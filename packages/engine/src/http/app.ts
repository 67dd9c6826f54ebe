import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { compile as compileTrust } from 'proxy-addr';
import { createAuthenticator } from '../auth/authenticator.ts';
import type { Checker } from '../auth/credentials.ts';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import { createClientAddress } from './client-address.ts';
import { createOrigin } from './origin.ts';
import { createCors, type CorsPolicy } from './cors.ts';
import { send } from './response.ts';
import { Failure, unexpectedFailure } from './failure.ts';
import { createPipeline, type PipelineOptions } from './pipeline.ts';

/** Middleware of Express. */
export type Middleware = (req: never, res: never, next: (error?: unknown) => void) => unknown;

type AppOptions = Omit<PipelineOptions, 'authenticatorOf' | 'clientAddressOf' | 'cors' | 'originOf'> & {
  /** The application's own checkers, by the name of their security scheme. */
  readonly checkers: Readonly<Record<string, Checker>>;
  /** The application's own middleware. */
  readonly middleware: readonly Middleware[];
  readonly tokenVerifier: TokenVerifier;
  /** The proxies whose X-Forwarded headers are believed: addresses, subnets, `loopback`, `linklocal`, `uniquelocal`. */
  readonly trustProxy: readonly string[];
  /** Where clients reach the service; `undefined`: where each request says. */
  readonly publicUrl: string | undefined;
  /** `undefined`: only pages of the service's own origin read responses. */
  readonly cors: CorsPolicy | undefined;
  /** Serves the docs page, and passes other requests on. */
  readonly docs?: ((req: IncomingMessage, res: ServerResponse, next: (failure?: Failure) => void) => void) | undefined;
};

/** Creates the Express application. It serves the own middleware, the docs page if there is one, and exactly the contract. */
export function createApp(options: AppOptions): Express {
  const { contract, checkers, middleware, tokenVerifier, trustProxy, publicUrl, docs, failureResponse, log } = options;
  const trust = compileTrust([...trustProxy]);
  const app = express();
  app.disable('x-powered-by');
  const cors = options.cors && createCors(options.cors, contract);
  if (cors !== undefined) {
    app.use((req, _res, next) => {
      cors.decide(req);
      next();
    });
  }
  for (const own of middleware) app.use(own as RequestHandler); // Express calls it with its own request and response.
  if (docs !== undefined) app.use(docs);
  app.use(
    createPipeline({
      ...options,
      cors,
      authenticatorOf: createAuthenticator(contract.securitySchemes, checkers, tokenVerifier),
      clientAddressOf: createClientAddress(trust),
      originOf: createOrigin(publicUrl, trust),
    }),
  );
  // Express recognises an error handler by its four parameters.
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const isFailure = error instanceof Failure;
    if (!isFailure) log.error({ err: error }, 'request failed');
    send(req, res, failureResponse(isFailure ? error : unexpectedFailure()));
  });
  return app;
}
