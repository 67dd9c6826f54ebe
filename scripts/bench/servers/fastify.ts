import { createFastify } from './fastify-app.ts';
import { announce, createPlant, isAuthorized, type NewPlant } from './peer.ts';

// Fastify as its documentation says it is fastest: JSON schemas for the body and for each answer, from which it
// compiles a validator and serialisers, and the token checked in the first hook, which waits for nothing.
const plant = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, tag: { type: 'string' } },
};
const newPlant = {
  type: 'object',
  required: ['id', 'name'],
  properties: { ...plant.properties, id: { type: 'integer', format: 'int64' } },
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
app.post<{ Body: NewPlant }>(
  '/plants',
  { schema: { body: newPlant, response: { 200: plant, default: error } } },
  async ({ body }) => createPlant(body),
);
await app.listen({ host: '127.0.0.1', port: 0 });
announce(app.server.address());
