import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCommand } from '../src/command.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { answerJson, startReferenceServer, type Defect, type ServerRequest } from './support/reference-server.ts';
import { runHere } from '@contract-first/testing/command.ts';

type Tally = { readonly seen: readonly string[]; readonly notSeen: readonly string[] };
type Coverage = { readonly operation: string } & Readonly<
  Record<'statuses' | 'requestTypes' | 'answerTypes' | 'parameters' | 'schema', Tally>
>;

const json = (schema: object) => ({ 'application/json': { schema } });
const described = (content: object) => ({ description: 'Documented.', content });
const shape = (kind: string, properties: object) => ({
  type: 'object',
  required: ['kind'],
  properties: { kind: { const: kind }, ...properties },
  additionalProperties: false,
});

/** A document with two operations on shapes. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shapes', version: '1.0.0' },
  security: [],
  paths: {
    '/shapes': {
      get: {
        operationId: 'findShapes',
        parameters: [
          { name: 'text', in: 'query', schema: { type: 'string' } },
          { name: 'sides', in: 'query', required: true, schema: { type: 'integer', enum: [3, 4] } },
          { name: 'X-Page', in: 'header', schema: { type: 'integer', minimum: 1 } },
          {
            name: 'area',
            in: 'query',
            style: 'deepObject',
            explode: true,
            schema: { type: 'object', properties: { min: { type: 'integer' } }, additionalProperties: false },
          },
        ],
        responses: {
          '200': described(json({ type: 'array' })),
          '400': { description: 'Invalid' },
          '404': described({}),
        },
      },
      post: {
        operationId: 'createShape',
        requestBody: { required: true, content: json({ $ref: '#/components/schemas/Shape' }) },
        responses: {
          '201': described({ ...json({}), 'text/plain': { schema: { type: 'string' } } }),
          '4XX': { description: 'Refused' },
        },
      },
    },
  },
  components: {
    schemas: {
      Shape: {
        oneOf: [{ $ref: '#/components/schemas/Circle' }, { $ref: '#/components/schemas/Group' }, shape('dot', {})],
      },
      Circle: shape('circle', { radius: { type: 'integer' } }),
      Group: shape('group', { members: { type: 'array', maxItems: 2, items: { $ref: '#/components/schemas/Shape' } } }),
    },
  },
};

/** Responds to all requests as documented. */
const serve: Defect = ({ method, url, headers, body }: ServerRequest) => {
  const empty = (status: number, more = {}) => ({ status, headers: more, body: '' });
  if (method === 'GET') {
    const query = new URLSearchParams(url.split('?')[1]);
    const isInteger = (text: string | null | undefined): boolean => text == null || /^-?\d+$/.test(text);
    const page = headers['x-page'];
    const isPage = page === undefined || (isInteger(page) && Number(page) >= 1);
    const names = [...query.keys()].filter((name) => name.startsWith('area'));
    const isArea = names.every((name) => name === 'area[min]') && isInteger(query.get('area[min]'));
    return ['3', '4'].includes(query.get('sides') ?? '') && isPage && isArea ? answerJson(200, []) : empty(400);
  }
  if (method !== 'POST') return empty(405, { Allow: 'GET, POST' });
  try {
    if (!/^application\/json *(?:;|$)/i.test(headers['content-type'] ?? '')) return empty(415);
    return isShape(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)))
      ? answerJson(201, {})
      : empty(400);
  } catch {
    return empty(400);
  }
};

function isShape(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { kind, ...rest } = value as Readonly<Record<string, unknown>>;
  const [[name, member] = [], ...others] = Object.entries(rest);
  if (others.length > 0) return false;
  if (kind === 'circle') return name === undefined || (name === 'radius' && Number.isInteger(member));
  if (kind !== 'group') return kind === 'dot' && name === undefined;
  const isList = Array.isArray(member) && member.length <= 2 && member.every(isShape);
  return name === undefined || (name === 'members' && isList);
}

async function check(args: readonly string[], files: Readonly<Record<string, string>> = {}, defect = serve) {
  const folder = temporaryFolder();
  const all = { 'openapi.json': JSON.stringify(DOCUMENT), ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  const url = await startReferenceServer(defect);
  const required = ['openapi.json', '--url', url, '--seed', '1'];
  const outcome = await runHere(checkCommand, [...required, ...args], folder);
  const read = (): readonly Coverage[] => JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8')) as Coverage[];
  return { ...outcome, read };
}

test('the coverage lists the statuses, media types, parameters and schema branches that occurred', async () => {
  const { code, stdout, read } = await check(['--report', 'coverage:a.json']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^(?!coverage)/) });
  const [find, create] = read();
  expect(find).toEqual({
    operation: 'findShapes',
    statuses: { seen: ['200', '400'], notSeen: ['404'] },
    requestTypes: { seen: [], notSeen: [] },
    answerTypes: { seen: ['200 application/json'], notSeen: [] },
    parameters: {
      seen: [
        ...['query text valid', 'query text left out'],
        ...['query sides valid', 'query sides invalid', 'query sides left out'],
        ...['header X-Page valid', 'header X-Page invalid', 'header X-Page left out'],
        ...['query area valid', 'query area invalid', 'query area left out'],
      ],
      notSeen: [],
    },
    schema: {
      seen: ['query sides = 3', 'query sides = 4', 'query area.min present'],
      notSeen: ['query area.min absent'],
    },
  });
  expect(create).toMatchObject({
    statuses: { seen: ['201', '4XX'], notSeen: [] },
    requestTypes: { seen: ['application/json'], notSeen: [] },
    answerTypes: { seen: ['201 application/json'], notSeen: ['201 text/plain'] },
  });
  expect([...(create?.schema.seen ?? [])].sort()).toEqual([
    'body oneOf 3',
    'body oneOf 3.kind present',
    'body oneOf Circle',
    'body oneOf Circle.kind present',
    'body oneOf Circle.radius absent',
    'body oneOf Circle.radius present',
    'body oneOf Group',
    'body oneOf Group.kind present',
    'body oneOf Group.members absent',
    'body oneOf Group.members present',
  ]);
});

test('the coverage does not list parameters and schema branches that were not sent', async () => {
  const { read } = await check(['--report', 'coverage:a.json', '--checks', 'unsupported_method']);
  expect(
    read().map(({ statuses, parameters, schema }) => [statuses, parameters, schema].map(({ seen }) => seen)),
  ).toEqual([
    [[], [], []],
    [[], [], []],
  ]);
});

test('the coverage is printed as a table, followed by the names that were not seen', async () => {
  const { code, stdout } = await check(['--report', 'coverage']);
  expect(code).toBe(0);
  expect(stdout.split('\n').slice(0, 9)).toEqual([
    'coverage     statuses  request types  answer types  parameters  schema',
    'findShapes   2 of 3    -              1 of 1        11 of 11    3 of 4',
    expect.stringMatching(/^createShape {2}2 of 2 {4}1 of 1 {9}1 of 2 {8}- {11}10 of 10$/),
    expect.stringMatching(/^all {10}4 of 5 {4}1 of 1 {9}2 of 3 {8}11 of 11 {4}13 of 14$/),
    '',
    'not seen:',
    'findShapes   statuses      404',
    'findShapes   schema        query area.min absent',
    'createShape  answer types  201 text/plain',
  ]);
});

test('coverage can be set in .contract.yaml, and is omitted in repeat lines', async () => {
  const files = { '.contract.yaml': 'report: [coverage, coverage:a.json]\noperation: findShapes\n' };
  const broken: Defect = (request, respond) =>
    request.method === 'GET' ? { status: 500, headers: {}, body: '' } : serve(request, respond);
  const { stdout, read } = await check(['--runs', '1'], files, broken);
  expect(stdout).toMatch(/^coverage .*\nfindShapes +0 of 3 /);
  expect(read()).toHaveLength(1);
  const { stdout: other } = await check(['--report', 'coverage', '--runs', '1'], {}, broken);
  for (const text of [stdout, other]) expect(text).toMatch(/^ {2}repeat: npx contract-first check (?!.*coverage)/m);
});
