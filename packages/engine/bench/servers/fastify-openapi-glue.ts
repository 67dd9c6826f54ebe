import type { FastifyRequest } from 'fastify';
import { fastifyOpenapiGlue } from 'fastify-openapi-glue';
import { createFastify } from './fastify-app.ts';
import { announce, createGuest, isAuthorized, readDocument, type NewGuest } from './peer.ts';

// Fastify with routes, validators and serializers from the document, in which every operation is a copy of createGuest.
const app = createFastify();
await app.register(fastifyOpenapiGlue, {
  specification: readDocument(),
  securityHandlers: {
    bearerAuth({ headers }: FastifyRequest): void {
      if (!isAuthorized(headers.authorization)) throw new Error('send a bearer token');
    },
  },
  operationResolver:
    () =>
    ({ body }: FastifyRequest) =>
      createGuest(body as NewGuest), // Validated by Fastify.
});
await app.listen({ host: '127.0.0.1', port: 0 });
announce(app.server.address());
