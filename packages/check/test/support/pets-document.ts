// A document for recorded traffic: overlapping paths, several parameter styles, read-only members, and credentials.

const text = { type: 'string' };
const json = (schema: object) => ({ 'application/json': { schema } });
const pet = { $ref: '#/components/schemas/Pet' };

export const petsDocument = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1.0.0' },
  servers: [{ url: '/v1' }],
  security: [{ bearer: [] }, { key: [] }],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 10 } },
          { name: 'ids', in: 'query', schema: { type: 'array', items: { type: 'integer' } } },
          { name: 'tame', in: 'query', schema: { type: 'boolean' } },
          { name: 'since', in: 'query', schema: { type: 'string', format: 'date-time' } },
        ],
        responses: {
          '200': {
            description: 'All',
            headers: { 'X-Total': { required: true, schema: { type: 'integer' } } },
            content: json({ type: 'array', items: pet }),
          },
        },
      },
      post: {
        operationId: 'createPet',
        parameters: [{ name: 'X-Tenant', in: 'header', required: true, schema: text }],
        requestBody: { required: true, content: json(pet) },
        responses: { '201': { description: 'Created', content: json(pet) }, '422': { description: 'Refused' } },
      },
    },
    '/pets/{id}': {
      get: {
        operationId: 'readPet',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: { '200': { description: 'One', content: json(pet) } },
      },
    },
    '/pets/mine': {
      get: { operationId: 'readMine', responses: { '200': { description: 'Mine', content: { 'text/plain': {} } } } },
    },
    '/login': {
      post: {
        operationId: 'login',
        security: [],
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', required: ['user'], properties: { user: text } },
            },
          },
        },
        responses: {
          '200': {
            description: 'Welcome',
            headers: { 'Set-Cookie': { required: true, schema: text } },
            content: json({ type: 'object', required: ['access_token'] }),
          },
        },
      },
    },
  },
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      key: { type: 'apiKey', in: 'query', name: 'key' },
    },
    schemas: {
      Pet: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: { id: { type: 'integer', readOnly: true }, name: text },
      },
    },
  },
};
