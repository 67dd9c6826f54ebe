import request from 'supertest';
import type { AnyReply } from '../../src/http/reply/response.ts';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf, warningsOf } from '@contract-first/testing/contract.ts';

const CAT = '{ type: object, required: [lives], properties: { kind: { type: string }, lives: { type: integer } } }';
const DOG = '{ type: object, required: [barks], properties: { kind: { type: string }, barks: { type: boolean } } }';
const SEPARATE = `Cat: ${CAT}\nDog: ${DOG}`;
const child = (parent: string, own: string): string =>
  `{ allOf: [{ $ref: '#/components/schemas/${parent}' }, ${own}] }`;
const DISCRIMINATOR = 'discriminator: { propertyName: kind, mapping: { kitty: Cat } }';
const PARENT = `
Animal: { type: object, required: [kind], properties: { kind: { type: string } }, ${DISCRIMINATOR} }
Cat: ${child('Animal', CAT)}
Dog: ${child('Animal', DOG)}
Puppy: ${child('Dog', '{ type: object, required: [age], properties: { age: { type: integer } } }')}`;
const MAPPED = PARENT.replace('{ kitty: Cat }', "{ robo: '#/components/schemas/Robot' }");
const ROBOTS = `
Robot: { type: object, required: [wheels], properties: { wheels: { type: integer } } }
Drone: ${child('Robot', '{ type: object }')}`;
const LIST = "oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]";
const list = (mapping: string): string => `{ ${LIST}, discriminator: { propertyName: kind${mapping} } }`;
const ref = (name: string): string => `{ $ref: '#/components/schemas/${name}' }`;

/** Returns a document with an operation whose request and response bodies have a schema. */
function document(schema: string, schemas: string, version: string): string {
  const content = `content: { application/json: { schema: ${schema} } }`;
  const operation = `requestBody: { ${content} }\nresponses: { '200': { description: x, ${content} } }`;
  const components = `components:\n  schemas:\n${schemas.trim().replaceAll(/^/gm, '    ')}`;
  return documentOf('/a', 'post', operation, components).replace('3.1.0', version);
}

async function serve(text: string, reply?: unknown) {
  const op = ({ body }: { readonly body: unknown }): Promise<AnyReply> =>
    Promise.resolve({ status: 200, body: reply ?? body });
  const { app, logged } = await createTestApp({ contract: await contractOf(text), handlers: { op } });
  const send = (body: unknown) => request(app).post('/a').type('json').send(JSON.stringify(body));
  return { send, logged };
}

describe.each(['3.0.3', '3.1.0'])(
  'OpenAPI %s: a value must match the schema that its discriminator names',
  (version) => {
    const lives = { lives: 9 };
    const barks = { barks: true };
    test.each<[string, string, string, unknown[], [unknown, RegExp][]]>([
      [
        'by name',
        list(''),
        SEPARATE,
        [
          { kind: 'Cat', ...lives },
          { kind: 'Dog', ...barks },
        ],
        [
          [{ kind: 'Cat', ...barks }, /^body must have required property 'lives'$/],
          [{ kind: 'Bird', ...lives }, /^body\/kind must be equal to one of the allowed values: Cat, Dog$/],
          [lives, /^body must have required property 'kind'/],
          ['Cat', /^body must be object/],
        ],
      ],
      [
        'by a mapping to names and references, in anyOf',
        list(`, mapping: { c: Cat, kitty: '#/components/schemas/Cat' }`).replace('oneOf', 'anyOf'),
        SEPARATE,
        [
          { kind: 'c', ...lives },
          { kind: 'kitty', ...lives },
          { kind: 'Dog', ...barks },
        ],
        [
          [{ kind: 'kitty', ...barks }, /'lives'/],
          [{ kind: 'Cat', ...lives }, /allowed values: c, kitty, Dog$/],
        ],
      ],
      [
        'by the values that the schemas allow',
        list(''),
        SEPARATE.replace('type: string', 'type: string, enum: [cat]').replace(
          /type: string \}/,
          'type: string, enum: [dog] }',
        ),
        [
          { kind: 'cat', ...lives },
          { kind: 'dog', ...barks },
        ],
        [[{ kind: 'dog', ...lives }, /'barks'/]],
      ],
      [
        'beside a schema without a name',
        list('').replace('oneOf: [', 'oneOf: [{ type: array, items: {} }, '),
        SEPARATE,
        [[1], { kind: 'Cat', ...lives }],
        [
          [{ kind: 'Cat' }, /'lives'/],
          [{ kind: 'Bird' }, /allowed values: Cat, Dog/],
        ],
      ],
      [
        'as a schema that extends the documented one',
        ref('Animal'),
        PARENT,
        [
          { kind: 'Animal' },
          { kind: 'kitty', ...lives },
          { kind: 'Dog', ...barks },
          { kind: 'Puppy', ...barks, age: 1 },
        ],
        [
          [{ kind: 'Dog', ...lives }, /^body must have required property 'barks'$/],
          [{ kind: 'Puppy', ...barks }, /'age'/],
          [{ kind: 'Bird' }, /allowed values: Animal, kitty, Dog, Puppy$/],
        ],
      ],
      [
        'as a schema between',
        ref('Dog'),
        PARENT,
        [
          { kind: 'Dog', ...barks },
          { kind: 'Puppy', ...barks, age: 1 },
        ],
        [
          [{ kind: 'kitty', ...barks }, /allowed values: Dog, Puppy$/],
          [{ kind: 'Puppy', ...barks }, /'age'/],
        ],
      ],
      ['as itself', ref('Cat'), PARENT, [{ kind: 'kitty', ...lives }], [[{ kind: 'Dog', ...lives }, /values: kitty$/]]],
      [
        'where the mapping leads to the schema itself',
        ref('Cat'),
        `Cat: ${CAT.replace('{', '{ discriminator: { propertyName: kind, mapping: { a: Cat, b: Cat } },')}`,
        [
          { kind: 'a', ...lives },
          { kind: 'b', ...lives },
        ],
        [[{ kind: 'c', ...lives }, /allowed values: a, b$/]],
      ],
      [
        'by a mapping to a schema that does not extend it',
        ref('Animal'),
        `${MAPPED}\n${ROBOTS}`,
        [
          { kind: 'Dog', ...barks },
          { kind: 'robo', wheels: 4 },
        ],
        [
          [{ kind: 'robo' }, /'wheels'/],
          [{ kind: 'Robot', wheels: 4 }, /allowed values: Animal, Cat, Dog, Puppy, robo$/],
        ],
      ],
      [
        'but not where only the mapping of another schema leads to it',
        ref('Robot'),
        `${MAPPED}\n${ROBOTS}`,
        [{ wheels: 4 }, { kind: 'Cat', wheels: 4 }],
        [[{ kind: 'robo' }, /'wheels'/]],
      ],
      [
        'where the schema lists its extensions',
        ref('Animal'),
        PARENT.replace('discriminator', `${LIST}, discriminator`),
        [{ kind: 'kitty', ...lives }],
        [[{ kind: 'kitty' }, /'lives'/]],
      ],
    ])('%s', async (_name, schema, schemas, valid, invalid) => {
      const text = document(schema, schemas, version);
      const { send } = await serve(text);
      for (const value of valid) {
        const response = await send(value);
        expect([value, response.status, response.body]).toEqual([value, 200, value]);
      }
      for (const [value, message] of invalid) {
        expectProblem(await send(value), 400, message);
        const replying = await serve(text, value);
        expectProblem(await replying.send(valid[0]), 500, /failed/);
        expect(replying.logged).toContainEqual(
          expect.objectContaining({ err: expect.objectContaining({ type: 'InvalidResponse' }) }),
        );
      }
    });
  },
);

test.each<[string, string, string, RegExp]>([
  [
    'a mapping to a file that does not exist',
    list(', mapping: { x: models/x.yaml }'),
    SEPARATE,
    /mapping of x is ignored: there is no schema models\/x\.yaml/,
  ],
  [
    'a mapping to a schema that is not listed',
    list(', mapping: { x: Bird }'),
    `${SEPARATE}\nBird: {}`,
    /mapping of x is ignored: list Bird in oneOf/,
  ],
  [
    'a value of several schemas',
    list(''),
    SEPARATE.replaceAll('type: string', 'type: string, enum: [pet]'),
    /discriminator is not checked: pet may be .*Cat or .*Dog; add a mapping/,
  ],
  [
    'a schema that contains itself',
    ref('Animal'),
    PARENT.replace('Puppy: { allOf: [', `Puppy: { anyOf: [${ref('Animal')}], allOf: [`),
    /discriminator is not checked: a schema that extends Animal refers to it outside of allOf/,
  ],
])('a warning names the part that is not checked: %s', async (_name, schema, schemas, warning) => {
  const warnings = await warningsOf(document(schema, schemas, '3.1.0'));
  expect(warnings).toMatch(warning);
  expect(warnings).not.toContain('error:');
});
