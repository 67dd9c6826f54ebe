import fc from 'fast-check';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiParameter } from '../../model/src/operations/api-operation.ts';
import { createArbitraries } from '../../model/src/values/arbitrary.ts';
import { curlLine } from '../../model/src/requests/curl-line.ts';
import { createRedactor } from '../../model/src/requests/redactor.ts';
import { readSchemas, type JsonSchema } from '../../model/src/values/json-schema.ts';
import type { Json } from '../../model/src/values/json-value.ts';
import { NoValue } from '../../model/src/values/generation-failure.ts';
import { createOracle } from '../../model/src/values/oracle.ts';
import { readingsOf, writeParameter } from '../../model/src/requests/parameter-text.ts';
import { parseJsonTree } from '@contract-first/contract';
import { normalizeDocument } from '../../documents/src/normalize/normalize.ts';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { runProcess } from '@contract-first/testing/service.ts';

type Reading = { readonly openapi?: string; readonly direction?: 'request' | 'response'; readonly others?: object };

/** Returns the schema `Value` of a document, its oracle, and a function that generates samples. */
function open(value: unknown, { openapi = '3.1.0', direction = 'request', others = {} }: Reading = {}) {
  const { document } = normalizeDocument({ openapi, components: { schemas: { ...others, Value: value } } });
  const schemas = readSchemas(document, direction);
  const oracle = createOracle(schemas);
  const schema: JsonSchema = { $ref: `${schemas.id}#/components/schemas/Value` };
  const sample = (plain: boolean) =>
    fc.sample(createArbitraries(schemas, oracle)(schema, { text: 'any', extras: true, plain }), {
      numRuns: 50,
      seed: 1,
    });
  return {
    oracle,
    schema,
    sample,
    allows: (text: string) => oracle.violation(schema, parseJsonTree(text)) === undefined,
  };
}

const self = { $ref: '#/components/schemas/Value' };
const cat = {
  type: 'object',
  required: ['kind', 'lives'],
  properties: { kind: { const: 'cat' }, lives: { type: 'integer' } },
};
const dog = {
  type: 'object',
  required: ['kind', 'name'],
  properties: { kind: { const: 'dog' }, name: { type: 'string' } },
};

test.each([
  [
    'int64',
    { type: 'integer', format: 'int64' },
    ['9223372036854775807', '-9223372036854775808', '1.0', '1e2'],
    ['9223372036854775808', '-9223372036854775809', '1.5', '9007199254740992.5', '1e400', '"1"'],
  ],
  [
    'an int64 inside',
    { properties: { a: { items: { type: 'integer', format: 'int64' } } } },
    ['{"a":[9223372036854775807]}'],
    ['{"a":[1,9223372036854775808]}'],
  ],
  [
    'an int64 or a text',
    { anyOf: [{ type: 'integer', format: 'int64' }, { type: 'string' }] },
    ['9223372036854775807', '"9223372036854775808"'],
    ['9223372036854775808'],
  ],
  ['int32', { type: 'integer', format: 'int32' }, ['2147483647', '-2147483648'], ['2147483648', '-2147483649']],
  [
    'a date-time',
    { format: 'date-time' },
    [
      '"2024-02-29T12:00:00Z"',
      '"2024-01-01t00:00:00.123456789-23:59"',
      '"2016-12-31T23:59:60Z"',
      '"2017-01-01T01:29:60+01:30"',
    ],
    [
      ...['"2024-01-01 00:00:00Z"', '"2024-01-01T00:00:00+02"', '"2024-01-01T00:00:00+0200"', '"2024-01-01T00:00:00"'],
      ...['"2023-02-29T00:00:00Z"', '"2024-13-01T00:00:00Z"', '"2024-01-01T24:00:00Z"', '"2016-12-31T22:59:60Z"', '""'],
    ],
  ],
  [
    'a URI template',
    { format: 'uri-template' },
    ['"/a/{b.c}"', '"{?a,b:3,c*}"', '"/it\'s/{%20a}"', '""'],
    ['"/{a"', '"/{a.}"', '"/{a b}"', '"/a b"', '"/%4{a}1"', '"/{a..b}"'],
  ],
  ['a time', { format: 'time' }, ['"10:00:00Z"', '"10:00:00.5+01:00"'], ['"10:00:00"', '"10:00Z"', '"10:00:00+01"']],
  [
    'a uuid',
    { format: 'uuid' },
    ['"2EB8AA08-AA98-11ea-b4aa-73b441d16380"'],
    ['"urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380"', '"2eb8aa08aa9811eab4aa73b441d16380"'],
  ],
  [
    'an email',
    { format: 'email' },
    ['"a.b@example.com"', '"\\"joe @ x\\"@example.com"', '"a@[127.0.0.1]"', '"a@[IPv6:::1]"'],
    ['"a@b"', '"a..b@example.com"', '"@example.com"', '"a@-x.com"', '"a@[1]"', '"\\"@example.com"', '"example.com"'],
  ],
  ['number', { type: 'number' }, ['1.5', '9223372036854775808'], ['null']],
  [
    'a multiple of 0.01',
    { multipleOf: 0.01 },
    ['19.99', '4.35', '-0.07', '1e2', '0.0e-999999999', '12345678901234567890.12', '"1"'],
    ['0.001', '19.999', '19.990000000000000001', '1e-999999999'],
  ],
  ['a multiple of 1e-7', { items: { multipleOf: 1e-7 } }, ['[3e-7,0.0000003]'], ['[3.5e-7]', '[0.00000035]']],
  ['a multiple of 1e21', { multipleOf: 1e21 }, ['3e21', '3000000000000000000000'], ['1500000000000000000000']],
  [
    'limits that a double does not hold',
    { minimum: 9007199254740993n, exclusiveMaximum: 18446744073709551616n },
    ['9007199254740993', '18446744073709551615', '9007199254740993.0'],
    ['9007199254740992', '9007199254740992.999', '18446744073709551616', '1e999999999', '-9007199254740994'],
  ],
  ['a decimal limit', { maximum: 0.1 }, ['0.1', '1e-1', '0.09999999999999999999'], ['0.10000000000000000001']],
  [
    'values that a double does not hold',
    { enum: [9007199254740993n, 0.1, { a: [9007199254740995n] }] },
    ['9007199254740993', '9007199254740993.0', '0.1', '{"a":[9007199254740995]}'],
    ['9007199254740992', '0.10000000000000000001', '{"a":[9007199254740996]}', '9007199254740993e999999999'],
  ],
  ['a constant', { const: 9007199254740993n }, ['9007199254740993'], ['9007199254740992', '9007199254740994']],
  [
    'different items',
    { uniqueItems: true },
    ['[9007199254740992,9007199254740993]', '[0.1,0.10000000000000000001]'],
    ['[9007199254740993,9007199254740993]', '[9007199254740993,9007199254740993.0]', '[1,1.00000000000000000000]'],
  ],
  [
    'an int64 that is a multiple of 7',
    { type: 'integer', format: 'int64', multipleOf: 7 },
    ['9223372036854775807'],
    ['9223372036854775806'],
  ],
])('the oracle judges %s by its digits', (_name, schema, valid, invalid) => {
  const { allows } = open(schema);
  expect(valid.filter((text) => !allows(text))).toEqual([]);
  expect(invalid.filter(allows)).toEqual([]);
});

test.each([
  ['nullable', { type: 'string', nullable: true }, ['null', '"a"'], ['1']],
  ['nullable enum', { type: 'string', nullable: true, enum: ['a', null] }, ['null', '"a"'], ['"b"']],
  ['nullable enum without null', { type: 'string', nullable: true, enum: ['a'] }, ['"a"'], ['null']],
  ['exclusiveMinimum: true', { type: 'integer', minimum: 1, exclusiveMinimum: true }, ['2'], ['1']],
  ['exclusiveMaximum: false', { type: 'integer', maximum: 1, exclusiveMaximum: false }, ['1'], ['2']],
  [
    'a property named nullable',
    { type: 'object', properties: { nullable: { type: 'boolean' } } },
    ['{"nullable":true}'],
    ['{"nullable":1}'],
  ],
])('the oracle reads %s of OpenAPI 3.0', (_name, schema, valid, invalid) => {
  const { allows } = open(schema, { openapi: '3.0.3' });
  expect(valid.filter((text) => !allows(text))).toEqual([]);
  expect(invalid.filter(allows)).toEqual([]);
});

test('the oracle selects the alternatives of a discriminator by its mapping', () => {
  const reference = '#/components/schemas/Cat';
  const mapping = { cat: reference, c: reference };
  const value = { oneOf: [{ $ref: reference }], discriminator: { propertyName: 'kind', mapping } };
  const { allows } = open(value, { others: { Cat: { type: 'object', properties: { kind: { type: 'string' } } } } });
  const texts = ['{"kind":"cat"}', '{"kind":"c"}', '{"kind":"Cat"}', '{"kind":"Dog"}', '{}'];
  expect(texts.filter(allows)).toEqual(['{"kind":"cat"}', '{"kind":"c"}']);
});

test('the oracle counts the matches among thousands of alternatives', () => {
  const alternatives = Array.from({ length: 2_000 }, (_, index) => ({ required: [`k${String(index)}`] }));
  const { allows } = open({ type: 'object', oneOf: alternatives });
  expect(['{"k0":1}', '{"k1999":1}', '{"k0":1,"k1999":1}', '{"k2000":1}'].map(allows)).toEqual([
    ...[true, true, false, false],
  ]);
});

test('the oracle requires readOnly properties only in responses, and writeOnly properties only in requests', () => {
  const properties = { id: { type: 'integer', readOnly: true }, password: { type: 'string', writeOnly: true } };
  const schema = { type: 'object', required: ['id', 'password'], properties };
  const [request, response] = [open(schema), open(schema, { direction: 'response' })];
  expect([request.allows('{"password":"x"}'), request.allows('{"id":1}')]).toEqual([true, false]);
  expect([response.allows('{"password":"x"}'), response.allows('{"id":1}')]).toEqual([false, true]);
});

test('the oracle rejects writeOnly properties in responses, even if the schema allows additional properties', () => {
  const secret = { type: 'object', properties: { password: { type: 'string', writeOnly: true } } };
  const { allows } = open({ allOf: [secret, { type: 'object' }] }, { direction: 'response' });
  expect(['{"password":"x"}', '{"password":null}', '{"other":"x"}'].map(allows)).toEqual([false, true, true]);
});

test.each([
  ['a recursive list', { type: 'object', required: ['kids'], properties: { kids: { type: 'array', items: self } } }],
  [
    'a chain with an end',
    { type: 'object', required: ['next'], properties: { next: { oneOf: [self, { type: 'null' }] } } },
  ],
  ['alternatives', { oneOf: [cat, dog] }],
  [
    'all of several',
    {
      allOf: [{ oneOf: [cat, dog] }, { required: ['born'], properties: { born: { type: 'string', format: 'date' } } }],
    },
  ],
  ['a pattern', { type: 'string', pattern: '^[A-Z]{2}-\\d{4}$' }],
  ['a pattern with look-ahead', { type: 'string', pattern: '^(?=.*\\d)(?=.*[a-z]).{4,8}$' }],
  ['a step', { type: 'number', multipleOf: 0.01, minimum: 0, maximum: 10 }],
  ['a step far from zero', { type: 'number', multipleOf: 0.01, minimum: 123_456_789.005, maximum: 123_456_790 }],
  ['a step far below zero', { type: 'number', multipleOf: 0.1, maximum: -98_765_432.1 }],
  ['a small step', { type: 'number', multipleOf: 1e-9 }],
  ['a large step', { type: 'number', multipleOf: 1e21 }],
  ['an integer step with decimal places', { type: 'integer', multipleOf: 2.5, minimum: 1, maximum: 12 }],
  ['an integer step below one', { type: 'integer', multipleOf: 0.75 }],
  ['an integer step', { type: 'integer', multipleOf: 7, minimum: 10, exclusiveMaximum: 30 }],
  ['the ends of int64', { type: 'integer', format: 'int64', minimum: -(2 ** 63), maximum: 2 ** 63 }],
  ['different items', { type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true, minItems: 2 }],
  ['a map', { type: 'object', additionalProperties: { type: 'integer', format: 'int64' }, minProperties: 1 }],
  ['a map with a pattern of names', { type: 'object', propertyNames: { pattern: '^x-[a-z]+$' }, minProperties: 2 }],
  ['a map with few names', { type: 'object', propertyNames: { enum: ['a', 'b', 'c'] }, minProperties: 1 }],
  ['no names', { type: 'object', propertyNames: false }],
  [
    'a condition',
    {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'boolean' }, b: { type: 'string' } },
      if: { properties: { a: { const: true } } },
      then: { required: ['b'] },
    },
  ],
  ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false }],
  [
    'nothing else',
    { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }], unevaluatedProperties: false },
  ],
  ['a long text', { type: 'string', minLength: 100, maxLength: 120 }],
  ['a long text with a pattern', { type: 'string', pattern: '^sk-([a-z]+)[0-9]?$', minLength: 40, maxLength: 40 }],
  ['a long base64', { type: 'string', format: 'byte', minLength: 40, maxLength: 60 }],
  ['a short time', { type: 'string', format: 'time', maxLength: 9 }],
  ['a long text with a pattern of its start', { type: 'string', pattern: '^(a|b)', minLength: 40 }],
  ['anything', {}],
  [
    'formats',
    {
      type: 'array',
      minItems: 1,
      items: {
        anyOf: ['date-time', 'time', 'uuid', 'email', 'uri', 'ipv4', 'ipv6', 'hostname', 'byte'].map((format) => ({
          type: 'string',
          format,
        })),
      },
    },
  ],
])('generated values are all valid: %s', (_name, value) => {
  const { oracle, schema, sample } = open(value);
  for (const plain of [true, false]) {
    expect(sample(plain).filter((one) => !oracle.allows(schema, one))).toEqual([]);
  }
});

test.each([
  ['without an end', { type: 'object', required: ['next'], properties: { next: self } }],
  ['of an empty range', { type: 'integer', minimum: 3, maximum: 2 }],
  ['too rare', { type: 'string', pattern: '^(?=abcdefgh)[a-z]{8}$' }],
  ['forbidden', { not: {} }],
])('generating a value of a schema throws NoValue: %s', (_name, value) => {
  expect(() => open(value).sample(true)).toThrow(NoValue);
});

const parameter = {
  name: 'p',
  in: 'query',
  required: true,
  style: 'form',
  explode: true,
  hasDefault: false,
  isUntyped: false,
  isAmbiguous: false,
  allowEmptyValue: false,
  isJson: false,
  examples: () => [],
  named: new Map(),
  schema: undefined,
} as const;

test.each<[string, Partial<ApiParameter>, Json, readonly (readonly [string, string])[] | undefined]>([
  ['a text', {}, 'a b/\u0000🌿', [['p', 'a%20b%2F%00%F0%9F%8C%BF']]],
  ['an int64', {}, 9223372036854775807n, [['p', '9223372036854775807']]],
  [
    'a list',
    {},
    ['a', 1n],
    [
      ['p', 'a'],
      ['p', '1'],
    ],
  ],
  ['a list in one', { explode: false }, ['a,b', 'c'], [['p', 'a%2Cb,c']]],
  ['a list with pipes', { style: 'pipeDelimited', explode: false }, ['a', 'b'], [['p', 'a%7Cb']]],
  [
    'an object',
    {},
    { a: 1n, b: 'x' },
    [
      ['a', '1'],
      ['b', 'x'],
    ],
  ],
  ['an object in one', { explode: false }, { a: 1n, b: 'x' }, [['p', 'a,1,b,x']]],
  ['a list of one item in a cookie', { in: 'cookie' }, ['a'], [['p', 'a']]],
  ['a list in a cookie', { in: 'cookie' }, ['a', 'b'], undefined],
  ['an object in a cookie', { in: 'cookie' }, { a: 1n }, undefined],
  ['a list in one cookie', { in: 'cookie', explode: false }, ['a', 'b'], [['p', 'a,b']]],
  ['a deep object', { style: 'deepObject' }, { a: 1n }, [['p%5Ba%5D', '1']]],
  ['a text as a deep object', { style: 'deepObject' }, 'a', undefined],
  ['a list as a deep object', { style: 'deepObject' }, ['a'], undefined],
  ['an object in a header', { in: 'header', style: 'simple', explode: true }, { a: 1n, b: 'x' }, [['p', 'a=1,b=x']]],
  ['JSON', { isJson: true }, { a: [1n] }, [['p', '%7B%22a%22%3A%5B1%5D%7D']]],
  ['nothing', {}, '', undefined],
  ['nothing, allowed', { allowEmptyValue: true }, '', [['p', '']]],
  ['an empty list', {}, [], undefined],
  ['a list in a list', {}, [['a']], undefined],
  ['null', {}, null, undefined],
  ['a lone surrogate', {}, '\ud800', undefined],
  ['a dot segment', { in: 'path', style: 'simple' }, '..', undefined],
  ['white space in a header', { in: 'header', style: 'simple' }, 'a b', undefined],
])('parameters: %s', (_name, particular, value, written) => {
  expect(writeParameter({ ...parameter, ...particular }, value)).toEqual(written);
});

test('parameters: a text may be parsed as a value of another type', () => {
  expect(readingsOf('1')).toEqual(['1', 1n, ['1'], [1n]]);
  expect(readingsOf('a,b')).toEqual(['a,b', ['a,b'], ['a', 'b']]);
  expect(readingsOf(' ')).toEqual([' ', [' '], ['', '']]);
  expect(readingsOf(true)).toEqual(['true', true, ['true'], [true]]);
  expect(readingsOf(['a', '1.5'])).toEqual([
    ['a', '1.5'],
    ['a', 1.5],
  ]);
  expect(readingsOf({ a: 'null', b: 'x' })).toEqual([
    { a: 'null', b: 'x' },
    { a: null, b: 'x' },
  ]);
});

test.each(['dash', 'bash'])(
  'the curl line sends the same bytes in %s, with the token from an environment variable',
  async (shell) => {
    const received: string[] = [];
    const server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const { method, url, headers } = req;
        const coding = headers['transfer-encoding'];
        const named = [headers.authorization, headers['content-type'], headers['x-empty'], coding];
        received.push(JSON.stringify([method, url, named, Buffer.concat(chunks).toString('latin1')]));
        res.end();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    cleanUp(() => void server.close());
    const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // A TCP address, not a pipe.

    const bodies = [
      '{"name":"it\'s $HOME `x` \\n 🌿"}',
      '@file',
      '',
      '\u0000%d\\ \'"\r\n\u00ff',
      '--x\r\n\r\n%\\101\r\n--x--\r\n',
    ];
    const bytes = [...bodies.map((text) => Buffer.from(text)), Buffer.from([0, 255, 37, 39, 92])];
    const secrets = [{ variable: 'TOKEN', value: 'secret token' }];
    const redactor = createRedactor({ document: { openapi: '3.1.0' }, secrets, isRecorded: false });
    for (const [body, isSpelled] of bytes.flatMap((body) => [[body, false] as const, [body, true] as const])) {
      const authorization = ['Authorization', 'Bearer secret tokenx'] as const;
      const usual = [authorization, ['Content-Type', 'application/json'], ['X-Empty', '']] as const;
      const headers = isSpelled ? [...usual, ['Transfer-Encoding', 'chunked'] as const] : usual;
      const target = '/a/../%27b%5B%5D?c[1]={2}';
      const request = { method: 'PUT', target, headers, body, hasWholeUrl: isSpelled };
      const line = curlLine(request, baseUrl, redactor);
      expect(line).not.toContain('secret');
      expect(await runProcess(shell, ['-c', line], { TOKEN: 'secret token' })).toMatchObject({ code: 0 });
      const named = ['Bearer secret tokenx', 'application/json', '', isSpelled ? 'chunked' : undefined];
      const url = isSpelled ? baseUrl + target : target;
      expect(received.pop()).toBe(JSON.stringify(['PUT', url, named, body.toString('latin1')]));
    }
  },
);
