import {
  escapeToLine,
  InvalidResponse,
  kindOf,
  normalizePath,
  NotImplemented,
  segmentKey,
  type Contract,
  type Operation,
} from '@contract-first/contract';
import { createConversions, createSilentLog, toResponse } from '@contract-first/engine/tools';
import { createValidators } from '@contract-first/engine/validators';
import type { CompiledDocument } from '@contract-first/documents';
import { indent, quoteString, renderArray, renderLiteral, renderMembers } from '@contract-first/model/scaffolds';
import { createValues, isArray, isObject, type Json } from '@contract-first/model/values';
import { VERSION } from '@contract-first/command-line/terminal';
import { createRespond } from './responses/respond.ts';

/** The methods that Mock Service Worker supports. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** The statuses of responses that cannot have a body (Fetch, "null body status"). */
const BODYLESS = [204, 205, 304];
const NO_REQUEST = {
  path: {},
  query: {},
  headers: {},
  cookies: {},
  rawHeaders: {},
  accepts: (first: string) => first,
  contentType: undefined,
  body: undefined,
};

/** A serialized response. */
type Sent = {
  readonly status: number;
  /** A list of pairs, since names may be repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string | null;
};

/**
 * Renders a module with a Mock Service Worker 2 handler for each operation, which responds like the stateless mock. The
 * module is valid TypeScript and JavaScript.
 *
 * @returns the text, and the operations without a handler, with reasons
 */
export function renderHandlers({ contract, document }: CompiledDocument, seed: number) {
  const values = createValues(document, seed, 'response');
  const validators = createValidators(contract);
  const conversions = createConversions({ contract }, createSilentLog());
  const omitted: string[] = [];
  // The order matters: the first matching handler responds.
  const operations = Object.values(contract.operations).toSorted((one, other) => compare(one.path, other.path));
  const handlers = operations.map((operation) => {
    const { operationId, method, path } = operation;
    const name = escapeToLine(`${operationId}: ${method} ${path}`);
    if (!METHODS.includes(method)) {
      omitted.push(`no handler for ${name}: Mock Service Worker does not support the method`);
      return '';
    }
    try {
      const response = renderResponse(respond(operation));
      const pattern = String(patternOf(operation, contract));
      return indent(`// ${name}\nhttp.${method.toLowerCase()}(${pattern}, () =>\n${indent(response)},\n),\n`);
    } catch (error) {
      if (!(error instanceof NotImplemented || error instanceof InvalidResponse)) throw error;
      omitted.push(`no handler for ${name}: ${error.message}`);
      return '';
    }
  });
  const { title, version } = contract.info;
  const text = `// Generated from ${escapeToLine(`${title} ${version}`)} by contract-first ${VERSION}. Do not edit.
import { http, HttpResponse } from 'msw';

/** A handler for each operation, for requests to any host. */
export const handlers = [
${handlers.join('')}];
`;
  return { text, omitted };

  function respond(operation: Operation): Sent {
    const reply = createRespond(values, operation)(NO_REQUEST);
    const target = { operation, validator: validators.compileSync(operation) };
    const { status, headers, body } = toResponse(target, reply, conversions);
    // Replies of the mock are never streams.
    const text =
      body === undefined || BODYLESS.includes(status) ? null : Buffer.from(body as string | Uint8Array).toString();
    const pairs = Object.entries(headers).flatMap(([name, field]) => [field].flat().map((one) => [name, one] as const));
    return { status, headers: pairs, text };
  }
}

function renderResponse({ status, headers, text }: Sent): string {
  const [, contentType = ''] = headers.find(([name]) => name === 'content-type') ?? [];
  const value = text !== null && kindOf(contentType) === 'json' ? exactValue(text) : undefined;
  const isUsual = value !== undefined && contentType === 'application/json';
  const fields = headers
    .filter(([name]) => !isUsual || name !== 'content-type')
    .map(([name, field]) => [name, quoteString(field)] as const);
  const isRepeated = new Set(fields.map(([name]) => name)).size < fields.length;
  const init = [
    ['status', String(status)] as const,
    ...(fields.length === 0 ? [] : [['headers', isRepeated ? renderPairs(fields) : renderMembers(fields)] as const]),
  ];
  const body = value !== undefined ? render(value) : text === null ? 'null' : quoteString(text);
  const call = value === undefined ? 'new HttpResponse' : 'HttpResponse.json';
  return `${call}(\n${indent(`${body},\n${renderMembers(init)},\n`)})`;
}

function renderPairs(pairs: readonly (readonly [name: string, source: string])[]): string {
  return renderArray(pairs.map(([name, source]) => renderArray([quoteString(name), source])));
}

/** Returns the value of a JSON text; `undefined` if `JSON.stringify` would not restore it, as for large int64s. */
function exactValue(text: string): Json | undefined {
  const value = JSON.parse(text) as Json;
  return JSON.stringify(value) === text ? value : undefined;
}

function render(value: Json): string {
  if (isArray(value)) return renderArray(value.map(render));
  if (isObject(value)) return renderMembers(Object.entries(value).map(([name, member]) => [name, render(member)]));
  return renderLiteral(value);
}

/** Returns a regular expression for the URLs of an operation, without a query. */
function patternOf(operation: Operation, { basePaths, templatedBasePaths = [] }: Contract): RegExp {
  const bases = [
    ...(operation.basePaths ?? basePaths),
    ...(operation.basePaths === undefined ? templatedBasePaths : (operation.templatedBasePaths ?? [])),
  ].map(sourceOf);
  const base = bases.length === 1 ? (bases[0] ?? '') : `(?:${bases.join('|')})`;
  return new RegExp(`^https?://[^/]+${base}${sourceOf(operation.path)}$`);
}

/** Returns the source of a regular expression for a path template. */
function sourceOf(template: string): string {
  return template
    .split(/\{[^}]*\}/)
    .map((literal) => normalizePath(literal).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('[^/]+');
}

/** Compares path templates by the engine's matching order: literal segments first, then the longest literal text. */
function compare(one: string, other: string): number {
  const [segments, others] = [one.split('/').map(segmentKey), other.split('/').map(segmentKey)];
  const index = segments.findIndex((segment, at) => segment !== others[at]);
  const [a = '', b = ''] = [segments[index], others[index]];
  const [isTemplate, isOtherTemplate] = [a.includes('{}'), b.includes('{}')];
  if (isTemplate !== isOtherTemplate) return isTemplate ? 1 : -1;
  return (isTemplate ? b.length - a.length : 0) || (a < b ? -1 : Number(a > b));
}
