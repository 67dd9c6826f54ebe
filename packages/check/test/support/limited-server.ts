import { integerOf, parseJsonTree, stringifyJson } from '@contract-first/contract';
import type { OpenApiDocument } from '@contract-first/documents';
import { type Defect, type ServerAnswer, type ServerRequest } from './reference-server.ts';

// A document whose schemas have all kinds of limits, and a server that implements each limit as a rule, independently
// of the checks. A defect replaces one rule.

/** Returns whether a property may have a value. Integers are given as bigints. */
export type Rule = (value: unknown) => boolean;
type Limited = { readonly schema: object; readonly rule: Rule };
export type Rules = Readonly<Record<string, Rule>>;

export const integer =
  (min: bigint, max: bigint): Rule =>
  (value) =>
    typeof value === 'bigint' && value >= min && value <= max;
/** Creates a rule for the length of texts. Counts code points by default. */
export const text =
  (min: number, max: number, count = (value: string): number => Array.from(value).length): Rule =>
  (value) =>
    typeof value === 'string' && count(value) >= min && count(value) <= max;
export const matching =
  (pattern: RegExp): Rule =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
export const oneOf =
  (...values: readonly unknown[]): Rule =>
  (value) =>
    values.includes(value);
export const list =
  (min: number, max: number, isItem: Rule, isDifferent = true): Rule =>
  (value) =>
    Array.isArray(value) &&
    value.length >= min &&
    value.length <= max &&
    value.every(isItem) &&
    (!isDifferent || new Set(value.map(canonical)).size === value.length);
export const map =
  (min: number, max: number, isMember: Rule): Rule =>
  (value) =>
    isRecord(value) && size(value) >= min && size(value) <= max && Object.values(value).every(isMember);
/** Creates a rule for objects with required and optional members. `isOther` decides about further members. */
export const record =
  (required: Rules, optional: Rules, isOther: (name: string) => boolean = () => false): Rule =>
  (value) =>
    isRecord(value) &&
    Object.keys(required).every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) => {
      const rule = [required, optional].find((rules) => Object.hasOwn(rules, name))?.[name];
      return rule === undefined ? isOther(name) : rule(member);
    });
export const any: Rule = () => true;
export const number =
  (isIn: (value: number) => boolean): Rule =>
  (value) =>
    (typeof value === 'number' || typeof value === 'bigint') && isIn(Number(value));
export const anyText = text(0, Infinity);
const other = (): boolean => true;
export const circle = record({ radius: integer(0n, 9n) }, {}, other);
export const square = record({ side: integer(0n, 9n) }, {}, other);

const UUID = /^(?:urn:uuid:)?[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
/** Returns whether a value is a date of the Gregorian calendar. */
export const isDay: Rule = (value) =>
  isDayOf(value, (year) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0));
export function isDayOf(value: unknown, isLeap: (year: number) => boolean): boolean {
  const [, year = '', month = '', day = ''] =
    /^(\d{4})-(\d\d)-(\d\d)$/.exec(typeof value === 'string' ? value : '') ?? [];
  const days = [31, isLeap(Number(year)) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? 0;
  return Number(day) >= 1 && Number(day) <= days;
}

const INT32 = 2n ** 31n;
const INT64 = 2n ** 63n;
const shape = (name: string): object => ({
  type: 'object',
  required: [name],
  properties: { [name]: { type: 'integer', minimum: 0, maximum: 9 } },
});
const digit = { type: 'integer', minimum: 0, maximum: 9 };

/** Groups of properties. */
export const LIMITED: Readonly<Record<string, Readonly<Record<string, Limited>>>> = {
  putNumbers: {
    amount: { schema: { type: 'integer', minimum: 1, maximum: 100 }, rule: integer(1n, 100n) },
    between: {
      schema: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
      rule: integer(1n, 9n),
    },
    ratio: {
      schema: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      rule: number((value) => value > 0 && value < 1),
    },
    degrees: {
      schema: { type: 'number', minimum: -1.5, maximum: 90 },
      rule: number((value) => value >= -1.5 && value <= 90),
    },
    step: {
      schema: { type: 'integer', multipleOf: 5, minimum: 0, maximum: 1_000 },
      rule: (value) => integer(0n, 1_000n)(value) && Number(value) % 5 === 0,
    },
    quarter: {
      schema: { type: 'number', multipleOf: 0.25, minimum: 0, maximum: 1_000 },
      rule: number((value) => value >= 0 && value <= 1_000 && value % 0.25 === 0),
    },
    small: { schema: { type: 'integer', format: 'int32' }, rule: integer(-INT32, INT32 - 1n) },
    big: { schema: { type: 'integer', format: 'int64' }, rule: integer(-INT64, INT64 - 1n) },
  },
  putTexts: {
    title: { schema: { type: 'string', minLength: 2, maxLength: 10 }, rule: text(2, 10) },
    essay: { schema: { type: 'string', maxLength: 10_000 }, rule: text(0, 10_000) },
    remark: { schema: { type: 'string' }, rule: anyText },
    code: { schema: { type: 'string', pattern: '^[a-z]{3}$' }, rule: matching(/^[a-z]{3}$/) },
    hint: { schema: { type: 'string', pattern: '[0-9]' }, rule: matching(/[0-9]/) },
    colour: { schema: { type: 'string', enum: ['red', 'Green'] }, rule: oneOf('red', 'Green') },
    version: { schema: { const: 2 }, rule: oneOf(2n) },
    kind: { schema: { const: 'leaf' }, rule: oneOf('leaf') },
    day: { schema: { type: 'string', format: 'date' }, rule: isDay },
    key: { schema: { type: 'string', format: 'uuid' }, rule: matching(UUID) },
    note: { schema: { type: ['string', 'null'] }, rule: (value) => value === null || typeof value === 'string' },
  },
  putLists: {
    tags: {
      schema: { type: 'array', minItems: 1, maxItems: 3, uniqueItems: true, items: { type: 'string', maxLength: 5 } },
      rule: list(1, 3, text(0, 5)),
    },
    rows: {
      schema: {
        type: 'array',
        uniqueItems: true,
        items: { type: 'object', required: ['a', 'b'], properties: { a: digit, b: digit } },
      },
      rule: list(0, Infinity, record({ a: integer(0n, 9n), b: integer(0n, 9n) }, {}, other)),
    },
    all: {
      schema: { type: 'array', items: { type: 'integer', minimum: -5, maximum: 5 } },
      rule: list(0, Infinity, integer(-5n, 5n), false),
    },
    many: {
      schema: { type: 'array', maxItems: 200, items: { type: 'boolean' } },
      rule: list(0, 200, (value) => typeof value === 'boolean', false),
    },
  },
  putObjects: {
    counts: {
      schema: { type: 'object', minProperties: 1, maxProperties: 4, additionalProperties: digit },
      rule: map(1, 4, integer(0n, 9n)),
    },
    box: {
      schema: {
        type: 'object',
        required: ['depth'],
        additionalProperties: false,
        properties: { depth: { type: 'integer', minimum: 1, maximum: 6 }, label: { type: 'string', maxLength: 4 } },
      },
      rule: record({ depth: integer(1n, 6n) }, { label: text(0, 4) }),
    },
    shape: {
      schema: { oneOf: [shape('radius'), shape('side')] },
      rule: (value) => circle(value) !== square(value),
    },
    figure: { schema: { anyOf: [shape('radius'), shape('side')] }, rule: (value) => circle(value) || square(value) },
    multiple: {
      schema: {
        oneOf: [
          { type: 'integer', multipleOf: 3, minimum: 0, maximum: 60 },
          { type: 'integer', multipleOf: 5, minimum: 0, maximum: 60 },
        ],
      },
      rule: (value) =>
        integer(0n, 60n)(value) && (Number(value) % 3 === 0 ? Number(value) % 5 !== 0 : Number(value) % 5 === 0),
    },
  },
};

/** The body properties of each operation: all properties of a group, or a single property. */
const BODIES: Readonly<Record<string, Readonly<Record<string, Limited>>>> = {
  ...LIMITED,
  ...Object.fromEntries(
    Object.values(LIMITED)
      .flatMap((properties) => Object.entries(properties))
      .map(([name, limited]) => [name, { [name]: limited }]),
  ),
};

const QUERY: Readonly<Record<string, Limited>> = {
  page: { schema: { type: 'integer', minimum: 1, maximum: 50 }, rule: integer(1n, 50n) },
  word: { schema: { type: 'string', minLength: 2, maxLength: 8 }, rule: text(2, 8) },
  order: { schema: { type: 'string', enum: ['up', 'down'] }, rule: oneOf('up', 'down') },
};

const ok = { '204': { description: 'Accepted' }, '400': { description: 'Refused' } };

export const limitedDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Limits', version: '1.0.0' },
  security: [],
  paths: {
    ...Object.fromEntries(
      Object.entries(BODIES).map(([operationId, properties]) => [
        `/${operationId}`,
        {
          put: {
            operationId,
            requestBody: {
              required: true,
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    required: Object.keys(properties),
                    additionalProperties: false,
                    properties: Object.fromEntries(
                      Object.entries(properties).map(([name, { schema }]) => [name, schema]),
                    ),
                  },
                },
              },
            },
            responses: { ...ok, '415': { description: 'Not JSON' } },
          },
        },
      ]),
    ),
    '/find': {
      get: {
        operationId: 'find',
        parameters: Object.entries(QUERY).map(([name, { schema }]) => ({ name, in: 'query', required: true, schema })),
        responses: ok,
      },
    },
  },
};

/** Creates the server of the document. The given rules replace rules with the same names. */
export function limitedServer(changed: Rules = {}): Defect {
  return (request) => {
    const [operationId = '', query = ''] = request.url
      .replace(/^https?:\/\/[^/]*/, '')
      .slice(1)
      .split('?');
    const properties = operationId === 'find' ? QUERY : BODIES[operationId];
    if (properties === undefined) return { status: 404, headers: {}, body: '' };
    const method = operationId === 'find' ? 'GET' : 'PUT';
    if (request.method !== method && !(method === 'GET' && request.method === 'HEAD'))
      return { status: 405, headers: { Allow: method }, body: '' };
    const rules = Object.fromEntries(
      Object.entries(properties).map(([name, { rule }]) => [name, changed[name] ?? rule]),
    );
    if (operationId === 'find') return answer(record(rules, {}, other)(readQuery(query)));
    return answerTo(request, record(rules, {}));
  };
}

function answer(isValid: boolean): ServerAnswer {
  return { status: isValid ? 204 : 400, headers: {}, body: '' };
}

function answerTo({ headers, body }: ServerRequest, isValid: Rule): ServerAnswer {
  if (headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json')
    return { status: 415, headers: {}, body: '' };
  let value: unknown;
  try {
    value = readJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return answer(false);
  }
  return answer(isValid(value));
}

function readQuery(query: string): Readonly<Record<string, unknown>> {
  const pairs = [...new URLSearchParams(query)];
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, name === 'page' && /^-?\d+$/.test(value) ? BigInt(value) : value]),
  );
}

/** Parses JSON with integers as bigints. */
function readJson(source: string): unknown {
  const tree = parseJsonTree(source);
  return withBigInts(tree.root, '');

  function withBigInts(holder: object, key: string): unknown {
    const value = (holder as Readonly<Record<string, unknown>>)[key];
    if (typeof value === 'number') return integerOf(tree.sourceDigits.get(holder, key) ?? String(value)) ?? value;
    if (Array.isArray(value)) return value.map((_, index) => withBigInts(value, String(index)));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.keys(value).map((name) => [name, withBigInts(value, name)]));
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function size(value: object): number {
  return Object.keys(value).length;
}

/** Returns a canonical text, which is equal for equal values. */
function canonical(value: unknown): string {
  return isRecord(value) ? stringifyJson(Object.fromEntries(Object.entries(value).sort())) : stringifyJson(value);
}
