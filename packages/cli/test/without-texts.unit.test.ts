import { expect, test } from '@jest/globals';
import { withoutTexts } from '../src/generate/without-texts.ts';

test('generated/contract.json has no texts for people, and all names and values of the document', () => {
  const property = { type: 'string', default: 'x', example: { title: 'kept' }, 'x-own': { summary: 'kept' } };
  const schema = { required: ['title'], properties: { title: property, properties: { const: { description: 1 } } } };
  const media = {
    schema: { $ref: '#/components/schemas/description' },
    encoding: { title: { contentType: 'text/plain' } },
  };
  const operation = {
    tags: ['title'],
    security: [{ description: [] }],
    parameters: [{ in: 'query', name: 'summary', schema: { enum: [{ title: 'kept' }] } }],
    responses: { default: { content: { 'text/plain': media } } },
  };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Texts', version: '1' },
    paths: { '/texts': { get: operation } },
    components: { schemas: { description: schema }, parameters: { title: { in: 'header', name: 'title' } } },
  };
  const text = { description: 'for people', summary: 'for people', externalDocs: { url: 'https://example.com' } };
  const [parameter] = operation.parameters;
  const withTexts = {
    ...document,
    ...text,
    info: { ...document.info, ...text, license: { name: 'MIT' } },
    paths: { '/texts': { ...text, get: { ...operation, ...text, parameters: [{ ...parameter, ...text }] } } },
    components: {
      ...document.components,
      schemas: {
        description: {
          ...schema,
          title: 'for people',
          properties: { ...schema.properties, title: { ...property, ...text, $comment: 'for people' } },
        },
      },
    },
  };
  expect(withoutTexts(withTexts)).toEqual(document);
});
