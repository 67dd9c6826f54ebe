import { fastify, LogController } from 'fastify';
import { log } from '../servers/peer.ts';

/** Fastify's log without the line for an incoming request. */
class OneLine extends LogController {
  incomingRequest() {
    // The request is logged when it is completed.
  }
}

/**
 * Creates a Fastify application with the log and Error body of the service, without type coercion or property removal.
 */
export function createFastify() {
  const app = fastify({
    loggerInstance: log,
    logController: new OneLine(),
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
  });
  app.setErrorHandler(({ statusCode = 500, message }, _request, reply) =>
    reply.code(statusCode).send({ error: statusCode, message }),
  );
  return app;
}
