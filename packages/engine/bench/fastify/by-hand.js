import { announce, createGuest, isAuthorized } from '../servers/peer.ts';
import { createFastify } from './app.js';

// Fastify as its documentation recommends for speed: JSON schemas for the request body and each response, from which
// Fastify compiles a validator and serializers, and a synchronous token check in the first hook.
const guest = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, tag: { type: 'string' } },
};
const newGuest = {
  type: 'object',
  required: ['id', 'name'],
  properties: { ...guest.properties, id: { type: 'integer', format: 'int64' } },
};
const error = {
  type: 'object',
  required: ['error', 'message'],
  properties: { error: { type: 'integer' }, message: { type: 'string' } },
};

const app = createFastify();
app.addHook('onRequest', ({ headers }, _reply, done) => {
  if (isAuthorized(headers.authorization)) done();
  else done(Object.assign(new Error('send a bearer token'), { statusCode: 401 }));
});
app.post('/guests', { schema: { body: newGuest, response: { 200: guest, default: error } } }, async ({ body }) =>
  createGuest(body),
);
await app.listen({ host: '127.0.0.1', port: 0 });
announce(app.server.address());
