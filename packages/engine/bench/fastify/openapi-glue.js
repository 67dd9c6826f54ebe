import { fastifyOpenapiGlue } from 'fastify-openapi-glue';
import { announce, createGuest, isAuthorized, readDocument } from '../servers/peer.ts';
import { createFastify } from './app.js';

// Fastify with routes, validators and serializers from the document, in which every operation is a copy of createGuest.
const app = createFastify();
await app.register(fastifyOpenapiGlue, {
  specification: readDocument(),
  securityHandlers: {
    bearerAuth({ headers }) {
      if (!isAuthorized(headers.authorization)) throw new Error('send a bearer token');
    },
  },
  operationResolver:
    () =>
    ({ body }) =>
      createGuest(body),
});
await app.listen({ host: '127.0.0.1', port: 0 });
announce(app.server.address());
