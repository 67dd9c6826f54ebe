import { Ajv2020 } from 'ajv/dist/2020.js';
import { replaceEqualityKeywords } from '../src/validation/equality.ts';

const ajv = new Ajv2020({ strict: false });
replaceEqualityKeywords(ajv);

test.each([
  ['const', { const: 'paper' }, 1],
  ['enum', { enum: ['novel', 'poetry', null] }, 1],
  ['a smaller object as const', { const: { a: {} } }, 3],
  ['a smaller list in an enum', { enum: [[1, 2], 3] }, 3],
])('reading stops when a value is larger than the allowed values: %s', (_name, schema, maxReads) => {
  let reads = 0;
  const member = {
    get() {
      reads += 1;
      return 1;
    },
    enumerable: true,
  };
  const names = Array.from({ length: 1_000 }, (_, index) => `a${String(index)}`);
  const value = Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, member])));
  expect(ajv.validate(schema, value)).toBe(false);
  expect(reads).toBeLessThanOrEqual(maxReads);
});

test.each([
  [{ const: { a: { b: [1] } } }, { a: { b: [1] } }, true],
  [{ const: { a: { b: [1] } } }, { a: { b: [1, 1] } }, false],
  [{ const: { a: { b: [1] } } }, { a: { b: 1, c: 1 } }, false],
  [{ enum: [[], { b: 1, a: 2 }] }, { a: 2, b: 1 }, true],
  [{ enum: [[], { b: 1, a: 2 }] }, [], true],
  [{ enum: [[], { b: 1, a: 2 }] }, {}, false],
])('%j takes %j: %s', (schema, value, isValid) => {
  expect(ajv.validate(schema, value)).toBe(isValid);
});
