import type { OpenApiDocument } from '@contract-first/documents';
import type { CheckName } from '../../src/judgement/checks.ts';
import { answerJson, startReferenceServer, type ServerAnswer, type ServerRequest } from './reference-server.ts';

// A service with alarms, a thermostat and a total, and with kinds of faults from studies of REST APIs.

type Alarm = Readonly<Record<string, unknown>>;

/** The state of the service. */
export type Home = { alarms: Map<string, Alarm>; thermostat: Alarm; total: number };

/** A fault: functions that replace steps of the service. */
export type Fault = {
  /** Returns a response in place of the service; `undefined` calls the service. */
  readonly answer?: (request: ServerRequest, home: Home) => ServerAnswer | undefined;
  /** Changes a response. */
  readonly change?: (answer: ServerAnswer, request: ServerRequest, home: Home) => ServerAnswer;
  /** Changes an alarm or the thermostat before it is stored. */
  readonly store?: (sent: Alarm, before: Alarm | undefined, method: string) => Alarm;
  /** The validation rule that is skipped. */
  readonly ignores?: keyof typeof RULES;
};

const json = (schema: object) => ({ 'application/json': { schema } });
const named = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const ok = (schema: object) => ({ description: 'Done', content: json(schema) });
const done = { description: 'Done' };
const refused = { '400': done, '415': done };
const takes = (schema: object, mediaType = 'application/json') => ({
  required: true,
  content: { [mediaType]: { schema } },
});

const members = {
  level: { type: 'integer', format: 'int32', minimum: 0, maximum: 100 },
  loud: { type: 'boolean' },
  tone: { type: 'string', enum: ['low', 'high', 'both'] },
  place: {
    type: 'object',
    required: ['room'],
    properties: { room: { type: 'string', maxLength: 20 }, outside: { type: 'boolean' } },
  },
  until: { type: 'string', format: 'date' },
  note: { oneOf: [{ type: 'string', maxLength: 20, pattern: '^[a-z]*$' }, { type: 'null' }] },
};
const written = { type: 'object', required: ['loud'], properties: members };

export const faultyDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Home', version: '1.0.0' },
  security: [],
  paths: {
    '/alarms': {
      get: { operationId: 'listAlarms', responses: { '200': ok({ type: 'array', items: named('Alarm') }) } },
      post: {
        operationId: 'createAlarm',
        requestBody: takes(written),
        responses: {
          '201': { ...done, headers: { Location: { required: true, schema: { type: 'string' } } } },
          ...refused,
        },
      },
    },
    '/alarms/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
      get: { operationId: 'getAlarm', responses: { '200': ok(named('Alarm')), '400': done, '404': done } },
      put: {
        operationId: 'putAlarm',
        requestBody: takes(written),
        responses: { '200': ok(named('Alarm')), '404': done, ...refused },
      },
      patch: {
        operationId: 'patchAlarm',
        requestBody: takes({ ...written, required: [] }, 'application/merge-patch+json'),
        responses: { '200': ok(named('Alarm')), '404': done, ...refused },
      },
      delete: { operationId: 'deleteAlarm', responses: { '204': done, '400': done, '404': done } },
    },
    '/thermostat': {
      get: { operationId: 'getThermostat', responses: { '200': ok(named('Thermostat')), '404': done } },
      put: { operationId: 'putThermostat', requestBody: takes(written), responses: { '204': done, ...refused } },
      delete: { operationId: 'deleteThermostat', responses: { '204': done } },
    },
    '/total': {
      get: { operationId: 'getTotal', responses: { '200': ok({ type: 'integer' }) } },
      put: { operationId: 'putTotal', requestBody: takes(members.level), responses: { '204': done, ...refused } },
    },
  },
  components: {
    schemas: {
      Thermostat: written,
      Alarm: {
        type: 'object',
        required: ['id', 'loud', 'note'],
        properties: { id: { type: 'string', format: 'uuid' }, ...members },
      },
    },
  },
};

/** The validation rules for a body. */
const RULES = {
  maximum: ({ level = 0 }: Alarm): boolean => Number(level) <= 100,
  choices: ({ tone = 'low' }: Alarm): boolean => ['low', 'high', 'both'].includes(tone as string),
  required: ({ loud }: Alarm): boolean => loud !== undefined,
};

const empty = (status: number, headers: ServerAnswer['headers'] = {}): ServerAnswer => ({ status, headers, body: '' });

/** Starts the service, optionally with a fault. */
export function startFaultyService(fault: Fault = {}): Promise<string> {
  const home: Home = { alarms: new Map(), thermostat: { loud: false }, total: 0 };
  let count = 0;
  return startReferenceServer((request) => {
    const answer = fault.answer?.(request, home) ?? respond(request);
    return fault.change?.(answer, request, home) ?? answer;
  });

  function respond({ method, url, headers, body }: ServerRequest): ServerAnswer {
    const { pathname } = new URL(url, 'http://server');
    const operation = documented(pathname);
    if (operation === undefined) return empty(404);
    if (!Object.hasOwn(operation, method.toLowerCase())) {
      const allowed = Object.keys(operation).filter((key) => key !== 'parameters');
      return empty(405, { Allow: allowed.join(', ').toUpperCase() });
    }
    const [, , id] = pathname.split('/');
    if (id !== undefined && !/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) return empty(400);
    const isWrite = ['POST', 'PUT', 'PATCH'].includes(method);
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    if (isWrite && headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== type) return empty(415);
    const sent = isWrite ? read(body) : {};
    if (pathname === '/total') return total(method, sent);
    if (sent === undefined || typeof sent === 'number' || (isWrite && !isValid(sent, method))) return empty(400);
    const stored = (before?: Alarm): Alarm => fault.store?.(sent, before, method) ?? patched(sent, before, method);
    if (pathname === '/thermostat') {
      if (method === 'GET') return answerJson(200, home.thermostat);
      home.thermostat = method === 'PUT' ? stored(home.thermostat) : { loud: false };
      return empty(204);
    }
    if (method === 'POST') {
      count += 1;
      const created = `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
      home.alarms.set(created, { note: null, ...stored(), id: created });
      return empty(201, { Location: `/alarms/${created}` });
    }
    if (id === undefined) return answerJson(200, [...home.alarms.values()]);
    const alarm = home.alarms.get(id);
    if (alarm === undefined) return empty(404);
    if (method === 'DELETE') return empty(home.alarms.delete(id) ? 204 : 404);
    if (isWrite) home.alarms.set(id, { note: null, ...(method === 'PATCH' ? alarm : {}), ...stored(alarm), id });
    return answerJson(200, home.alarms.get(id));
  }

  function total(method: string, sent: Alarm | number | undefined): ServerAnswer {
    if (method === 'GET') return answerJson(200, home.total);
    if (typeof sent !== 'number' || !Number.isInteger(sent) || sent < 0 || sent > 100) return empty(400);
    home.total = sent;
    return empty(204);
  }

  function isValid(sent: Alarm, method: string): boolean {
    const { level, loud, tone, place, until, note } = sent;
    const isText = (value: unknown, most: number): boolean =>
      typeof value === 'string' && Array.from(value).length <= most;
    const { room, outside = false } = Object(place) as Alarm;
    return (
      (level === undefined || (Number.isInteger(level) && Number(level) >= 0)) &&
      (loud === undefined || typeof loud === 'boolean') &&
      (tone === undefined || typeof tone === 'string') &&
      (place === undefined ||
        (typeof place === 'object' && !Array.isArray(place) && isText(room, 20) && typeof outside === 'boolean')) &&
      (until === undefined || isDay(until)) &&
      (note === undefined || note === null || (isText(note, 20) && /^[a-z]*$/.test(note as string))) &&
      Object.entries(RULES).every(
        ([name, rule]) => name === fault.ignores || (name === 'required' && method === 'PATCH') || rule(sent),
      )
    );
  }
}

/** Merges the body of a PATCH into the stored object. */
function patched(sent: Alarm, before: Alarm | undefined, method: string): Alarm {
  const isMerged = method === 'PATCH' && typeof sent['place'] === 'object';
  return isMerged ? { ...sent, place: { ...Object(before?.['place']), ...Object(sent['place']) } as Alarm } : sent;
}

function documented(pathname: string): object | undefined {
  const template = pathname.replace(/^\/alarms\/[^/]+$/, '/alarms/{id}');
  return (faultyDocument['paths'] as Readonly<Record<string, object>>)[template];
}

function read(body: Buffer): Alarm | number | undefined {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)) as unknown;
    if (typeof value === 'number') return value;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Alarm) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a value is an existing date. */
function isDay(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** A fault, the check that must find it, and the operation for which it is reported. */
export type FaultyService = readonly [name: string, check: CheckName, operation: string, fault: Fault];
