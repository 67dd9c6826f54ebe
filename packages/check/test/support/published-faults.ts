import { answerJson, type ServerAnswer, type ServerRequest } from './reference-server.ts';
import type { Fault, FaultyService } from './faulty-service.ts';

// Kinds of faults from published studies of REST APIs, one per service.

const is = (request: ServerRequest, method: string, path: RegExp): boolean =>
  request.method === method && path.test(request.url);
const ALARM = /^\/alarms\/./;
const ALARMS = /^\/alarms$/;
const THERMOSTAT = /^\/thermostat/;
const TOTAL = /^\/total/;
type Body = Readonly<Record<string, unknown>>;

/** Changes the JSON of successful responses to matching requests. */
const edits = (method: string, path: RegExp, edit: (body: never) => unknown): Fault => ({
  change: (answer, request) =>
    is(request, method, path) && answer.status === 200 && answer.body !== ''
      ? { ...answer, body: JSON.stringify(edit(JSON.parse(answer.body) as never)) }
      : answer,
});
const answersEmptyList = (answer: ServerAnswer): Fault => ({
  answer: (request, { alarms }) => (is(request, 'GET', ALARMS) && alarms.size === 0 ? answer : undefined),
});
const keepsLeftOut: Fault = { store: (sent, before, method) => (method === 'PUT' ? { ...before, ...sent } : sent) };

/** The ten kinds of seeded faults from rest-faults, which was used to compare tools in 2023. */
export const SEEDED_FAULTS: readonly FaultyService[] = [
  [
    'throws an exception',
    'not_a_server_error',
    'getTotal',
    { answer: (request) => (is(request, 'GET', TOTAL) ? { status: 500, headers: {}, body: '' } : undefined) },
  ],
  [
    'answers null where a boolean is required',
    'response_schema_conformance',
    'getThermostat',
    edits('GET', THERMOSTAT, (body: Body) => ({ ...body, loud: null })),
  ],
  [
    'answers another status',
    'status_code_conformance',
    'getThermostat',
    { change: (answer, request) => (is(request, 'GET', THERMOSTAT) ? { ...answer, status: 201 } : answer) },
  ],
  ['does not check the maximum', 'negative_data_rejection', 'createAlarm', { ignores: 'maximum' }],
  ['does not check the choices', 'negative_data_rejection', 'createAlarm', { ignores: 'choices' }],
  ['does not check required properties', 'negative_data_rejection', 'createAlarm', { ignores: 'required' }],
  [
    'names a place that does not exist',
    'ensure_resource_availability',
    'getAlarm',
    {
      change: (answer, request) =>
        is(request, 'POST', ALARMS) && answer.status === 201
          ? { ...answer, headers: { Location: '/alarms/00000000-0000-4000-8000-ffffffffffff' } }
          : answer,
    },
  ],
  [
    'deletes nothing',
    'use_after_free',
    'getAlarm',
    {
      answer: (request, { alarms }) =>
        is(request, 'DELETE', ALARM) && alarms.has(request.url.slice('/alarms/'.length))
          ? { status: 204, headers: {}, body: '' }
          : undefined,
    },
  ],
  [
    'deletes nothing where a path has one resource',
    'use_after_free',
    'getThermostat',
    { answer: (request) => (is(request, 'DELETE', THERMOSTAT) ? { status: 204, headers: {}, body: '' } : undefined) },
  ],
  [
    'ignores a PUT where a path has one resource',
    'update_is_visible',
    'getThermostat',
    { answer: (request) => (is(request, 'PUT', THERMOSTAT) ? { status: 204, headers: {}, body: '' } : undefined) },
  ],
  ['keeps members that a PUT omits', 'update_is_visible', 'getAlarm', keepsLeftOut],
  ['keeps members that a PUT omits, in a singleton', 'update_is_visible', 'getThermostat', keepsLeftOut],
  [
    'adds up with each PUT',
    'update_is_visible',
    'getTotal',
    {
      answer: (request, home) => {
        if (!is(request, 'PUT', TOTAL) || !/^\d+$/.test(request.body.toString())) return undefined;
        home.total += Number(request.body);
        return { status: 204, headers: {}, body: '' };
      },
    },
  ],
];

/** Lost writes and broken idempotency from issues of real services, as classified by Defects4REST. */
export const COLLECTED_DEFECTS: readonly FaultyService[] = [
  [
    'answers text where the list is empty',
    'content_type_conformance',
    'listAlarms',
    answersEmptyList({ status: 200, headers: { 'Content-Type': 'text/plain' }, body: '[]' }),
  ],
  [
    'answers 204 where the list is empty',
    'status_code_conformance',
    'listAlarms',
    answersEmptyList({ status: 204, headers: {}, body: '' }),
  ],
  [
    'answers null where the list is empty',
    'response_schema_conformance',
    'listAlarms',
    answersEmptyList(answerJson(200, null)),
  ],
  [
    'does not update a member',
    'update_is_visible',
    'getAlarm',
    { store: (sent, before) => ({ ...sent, ...(before !== undefined && { tone: before['tone'] }) }) },
  ],
  [
    'does not update a nested member',
    'update_is_visible',
    'getAlarm',
    { store: (sent, before) => ({ ...sent, ...(before !== undefined && { place: before['place'] }) }) },
  ],
  [
    'stores the day of today',
    'read_your_writes',
    'getAlarm',
    { store: (sent) => ({ ...sent, ...('until' in sent && { until: '2019-01-01' }) }) },
  ],
  [
    'reads a day as null',
    'read_your_writes',
    'getAlarm',
    edits('GET', ALARM, ({ until: _until, ...body }: Body) => body),
  ],
  [
    'resets members that a PATCH omits',
    'update_is_visible',
    'getAlarm',
    {
      store: (sent, before, method) =>
        method === 'PATCH'
          ? { loud: true, ...Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, undefined])), ...sent }
          : sent,
    },
  ],
  ['replaces an object with a PATCH', 'update_is_visible', 'getAlarm', { store: (sent) => sent }],
  [
    'ignores the null of a PATCH',
    'update_is_visible',
    'getAlarm',
    {
      store: (sent, before, method) =>
        method === 'PATCH' && sent['note'] === null ? { ...sent, note: before?.['note'] } : sent,
    },
  ],
  [
    'ignores the null of a PUT',
    'update_is_visible',
    'getAlarm',
    {
      store: (sent, before, method) =>
        method === 'PUT' && sent['note'] === null ? { ...sent, note: before?.['note'] } : sent,
    },
  ],
  [
    'drops a member that is null',
    'response_schema_conformance',
    'getAlarm',
    edits('GET', ALARM, (body: Body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))),
  ],
  [
    'fails when the same is created again',
    'not_a_server_error',
    'createAlarm',
    (() => {
      const seen = new Set<string>();
      return {
        answer: (request): ServerAnswer | undefined => {
          const key = request.body.toString();
          if (!is(request, 'POST', ALARMS)) return undefined;
          if (seen.has(key)) return { status: 500, headers: {}, body: '' };
          seen.add(key);
          return undefined;
        },
      };
    })(),
  ],
  [
    'changes a text when it is created',
    'read_your_writes',
    'getAlarm',
    {
      store: (sent, _before, method) =>
        method === 'POST' && typeof sent['note'] === 'string' ? { ...sent, note: `${sent['note']}_1` } : sent,
    },
  ],
  [
    'loses every second update',
    'update_is_visible',
    'getAlarm',
    (() => {
      let count = 0;
      return {
        store: (sent, before, method) => (method === 'PUT' && (count += 1) % 2 === 0 ? (before ?? sent) : sent),
      };
    })(),
  ],
];
