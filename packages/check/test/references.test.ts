import { CHECK_NAMES, isStateCheck } from '../src/judgement/checks.ts';
import { checkContract } from '../src/contract-run.ts';
import { answerJson, startReferenceServer, type ServerAnswer, type ServerRequest } from './support/reference-server.ts';
import { documentWith } from '@contract-first/testing/document.ts';
import { rounds } from '@contract-first/testing/rounds.ts';

// Members and reports need the id of a team, which responses contain in a nested object.

type Row = Readonly<Record<string, unknown>>;
const none = { description: 'Done' };
const json = (schema: object) => ({ 'application/json': { schema } });
const object = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties });
const [text, id] = [{ type: 'string' }, { type: 'integer', minimum: 1, maximum: 999_999 }];
const team = object({ id: { ...id, readOnly: true }, code: { ...text, readOnly: true }, title: text });
const wrapped = { description: 'A team', content: json(object({ data: team, at: { type: 'string' } })) };
const member = object({ memberId: { ...id, readOnly: true }, teamId: id });
const created = { description: 'A member', content: json(object({ status: text, member })) };
const taking = (schema: object) => ({ required: true, content: json(schema) });
const failures = { '404': none, '4XX': none };
const confirmation = {
  operationId: 'confirm',
  requestBody: { team: '$response.body#/data/id', code: '$response.body#/data/code' },
};

const DOCUMENT = documentWith({
  '/teams': {
    post: {
      operationId: 'createTeam',
      requestBody: taking(team),
      responses: { '201': { ...wrapped, links: { confirmation } }, ...failures },
    },
  },
  '/teams/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: id }],
    get: { operationId: 'getTeam', responses: { '200': wrapped, ...failures } },
    delete: { operationId: 'deleteTeam', responses: { '204': none, ...failures } },
  },
  '/members': {
    post: { operationId: 'createMember', requestBody: taking(member), responses: { '201': created, ...failures } },
  },
  '/members/{memberId}': {
    parameters: [{ name: 'memberId', in: 'path', required: true, schema: id }],
    get: { operationId: 'getMember', responses: { '200': created, ...failures } },
  },
  '/reports': {
    get: {
      operationId: 'readReport',
      parameters: [{ name: 'team_id', in: 'query', required: true, schema: id }],
      responses: { '200': none, ...failures },
    },
  },
  '/confirmations': {
    post: {
      operationId: 'confirm',
      requestBody: taking(object({ team: id, code: text })),
      responses: { '200': none, ...failures },
    },
  },
});

/** Starts a server of teams. @param forget deletes a team */
function startTeams(forget = (teams: Map<number, Row>, key: number) => teams.delete(key)): Promise<string> {
  const [teams, members] = [new Map<number, Row>(), new Map<number, Row>()];
  let count = 1_000;
  const empty = (status: number): ServerAnswer => ({ status, headers: {}, body: '' });
  const answer = (status: number, body: unknown): ServerAnswer =>
    body === undefined ? empty(404) : answerJson(status, body);
  const insert = (rows: Map<number, Row>, row: (key: number) => Row): Row | undefined =>
    rows.set((count += 7), row(count)).get(count);
  const handle = ({ method, url, body }: ServerRequest): ServerAnswer => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const [, collection = '', key] = pathname.split('/');
    const sent = body.length > 0 ? (JSON.parse(body.toString()) as Row) : {};
    switch (`${method} ${collection}${key === undefined ? '' : '/'}`) {
      case 'POST teams':
        return answer(
          201,
          insert(teams, (own) => ({ at: 'now', data: { ...sent, id: own, code: `code ${String(own)}` } })),
        );
      case 'GET teams/':
        return answer(200, teams.get(Number(key)));
      case 'DELETE teams/':
        return forget(teams, Number(key)) ? empty(204) : empty(404);
      case 'POST members':
        if (!teams.has(Number(sent['teamId']))) return empty(404);
        return answer(
          201,
          insert(members, (own) => ({ status: 'new', member: { ...sent, memberId: own } })),
        );
      case 'GET members/':
        return answer(200, members.get(Number(key)));
      case 'GET reports':
        return teams.has(Number(searchParams.get('team_id'))) ? empty(200) : empty(404);
      case 'POST confirmations': {
        const { code } = Object(teams.get(Number(sent['team']))?.['data']) as Row;
        return code !== undefined && code === sent['code'] ? empty(200) : empty(404);
      }
      default:
        return ['teams', 'members', 'reports', 'confirmations'].includes(collection) ? empty(405) : empty(404);
    }
  };
  return startReferenceServer((request) => handle(request));
}

// The server does not validate requests, so the other checks are off.
const checks = new Set(CHECK_NAMES.filter((name) => isStateCheck(name) || name === 'status_code_conformance'));

const check = (baseUrl: string, seed: number) =>
  checkContract({ document: DOCUMENT, baseUrl, seed, runs: 10, budgetMs: 120_000, checks });

test.each(rounds([1], [1, 2, 3]))(
  'ids of created resources are sent in bodies, queries and link bodies; each operation is successful (seed %d)',
  async (seed) => {
    const { failures, notes } = await check(await startTeams(), seed);
    expect({ failures, notes }).toEqual({ failures: [], notes: [] });
  },
);

test('ids from nested response objects are sent in paths, so that a read of a deleted resource is found', async () => {
  const { failures } = await check(await startTeams((teams, key) => teams.has(key)), 1);
  expect(failures.map(({ check, operationId }) => `${check} ${operationId}`)).toEqual(['use_after_free getTeam']);
});

test('a given value is used by its name, for all operations or for one', async () => {
  const baseUrl = await startReferenceServer(({ method, url, body }) => {
    const [, , inPath] = url.split('/');
    const { trip_id: inBody, seat } = body.length === 0 ? {} : (JSON.parse(body.toString()) as Record<string, unknown>);
    const isKnown = [inPath, inBody].includes('known') && (method === 'GET' || seat === 7);
    return isKnown ? answerJson(200, {}) : { status: 404, headers: {}, body: '' };
  });
  const ok = { description: 'Done', content: json({ type: 'object' }) };
  const document = documentWith({
    '/trips/{trip_id}': {
      parameters: [{ name: 'trip_id', in: 'path', required: true, schema: text }],
      get: { operationId: 'getTrip', responses: { '200': ok, ...failures } },
    },
    '/bookings': {
      post: {
        operationId: 'book',
        requestBody: taking(object({ trip_id: text, seat: { type: 'integer' } })),
        responses: { '200': ok, ...failures },
      },
    },
  });
  const values = [
    { operation: undefined, name: 'trip_id', value: 'known' },
    { operation: 'book', name: 'seat', value: 7 },
  ];
  const check = (given: typeof values | []) => {
    const checks = new Set(['response_schema_conformance'] as const);
    return checkContract({ document, baseUrl, checks, seed: 1, runs: 5, values: given });
  };
  expect((await check([])).unsuccessful).toMatch(/^no operation was successful: all 2 answer 404/);
  expect((await check(values)).unsuccessful).toBeUndefined();
});

test('ids of resources without their own path come from their list', async () => {
  const ok = { description: 'Done', content: json({ type: 'array', items: object({ id: text }) }) };
  const baseUrl = await startReferenceServer(({ url, body }) => {
    const { trip_id: inBody } = body.length === 0 ? {} : (JSON.parse(body.toString()) as Record<string, unknown>);
    const isList = url.startsWith('/trips') && url.split('/').length === 2;
    return isList || inBody === 'T-1' || url.startsWith('/trips/T-1/')
      ? answerJson(200, [{ id: 'T-1' }])
      : answerJson(404, {});
  });
  const document = documentWith({
    '/trips': { get: { operationId: 'listTrips', responses: { '200': ok, ...failures } } },
    '/trips/{trip}/seats': {
      parameters: [{ name: 'trip', in: 'path', required: true, schema: text }],
      get: { operationId: 'listSeats', responses: { '200': ok, ...failures } },
    },
    '/bookings': {
      post: {
        operationId: 'book',
        requestBody: taking(object({ trip_id: text })),
        responses: { '200': ok, ...failures },
      },
    },
  });
  const checks = new Set(['status_code_conformance'] as const);
  const { failures: found, notes } = await checkContract({ document, baseUrl, checks, seed: 1, runs: 5 });
  expect({ found, notes }).toEqual({ found: [], notes: [] });
});
