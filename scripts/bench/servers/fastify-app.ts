import { fastify, LogController, type FastifyError } from 'fastify';
import { log } from './peer.ts';

/** Fastify's own log, less its line for a request that has only come. */
class OneLine extends LogController {
  override incomingRequest(): void {
    // Logged when it is completed.
  }
}

/** Fastify with the log and the Error body of the contract; what it would coerce or remove is judged as it was sent. */
export function createFastify() {
  const app = fastify({
    loggerInstance: log,
    logController: new OneLine(),
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
  });
  app.setErrorHandler(({ statusCode = 500, message }: FastifyError, _request, reply) =>
    reply.code(statusCode).send({ error: statusCode, message }),
  );
  return app;
}
