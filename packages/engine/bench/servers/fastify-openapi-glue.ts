import type { FastifyRequest } from 'fastify';
import { fastifyOpenapiGlue } from 'fastify-openapi-glue';
import { createFastify } from './fastify-app.ts';
import { announce, createPlant, isAuthorized, readDocument, type NewPlant } from './peer.ts';

// Fastify with routes, validators and serializers from the document, in which every operation is a copy of createPlant.
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
      createPlant(body as NewPlant), // Validated by Fastify.
});
await app.listen({ host: '127.0.0.1', port: 0 });
announce(app.server.address());
