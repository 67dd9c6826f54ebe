import type { OpenApiDocument } from '@contract-first/documents';
import { compareDocuments, type Finding, RULES } from '@contract-first/diff';

export type Fragment = Readonly<Record<string, unknown>>;

export const text = { type: 'string' };
export const integer = { type: 'integer' };
export const ok = { description: 'Done.' };

/** Returns an operation without a request body, which responds 200. */
export function get(rest: Fragment = {}): Fragment {
  return { operationId: 'read', responses: { '200': ok }, ...rest };
}

/** Returns a query parameter. */
export function query(rest: Fragment = {}): Fragment {
  return { name: 'q', in: 'query', schema: text, ...rest };
}

/** Returns a JSON request body. */
export function body(rest: Fragment = {}): Fragment {
  return { content: { 'application/json': {} }, ...rest };
}

/** Returns a valid document with the given paths; further members override the defaults. */
export function documentWith(paths: Fragment, rest: Fragment = {}): OpenApiDocument {
  return { openapi: '3.1.0', info: { title: 'Test', version: '1.0.0' }, security: [], paths, ...rest };
}

/** Returns a document with one operation, `POST /things`. */
export function operationWith(operation: Fragment, rest: Fragment = {}): OpenApiDocument {
  const post = { operationId: 'createThing', responses: { '204': { description: 'Done.' } }, ...operation };
  return documentWith({ '/things': { post } }, rest);
}

/** Returns a document whose operation accepts a JSON body. */
export function requestWith(schema: unknown, rest: Fragment = {}): OpenApiDocument {
  return operationWith({ requestBody: { required: true, content: { 'application/json': { schema } } } }, rest);
}

/** Returns a document whose operation responds with a JSON body. */
export function responseWith(schema: unknown, rest: Fragment = {}): OpenApiDocument {
  const ok = { description: 'A thing.', content: { 'application/json': { schema } } };
  return operationWith({ responses: { '200': ok } }, rest);
}

/** Returns the schema of an object with an optional property `p`. */
export function property(schema: unknown): Fragment {
  return { type: 'object', properties: { p: schema } };
}

/** Returns a document whose operation has parameters. */
export function parametersWith(...parameters: readonly Fragment[]): OpenApiDocument {
  return operationWith({ parameters });
}

/** Returns a document whose operation responds 200 with headers. */
export function headersWith(headers: Fragment): OpenApiDocument {
  return operationWith({ responses: { '200': { description: 'Done.', headers } } });
}

/**
 * Compares documents on a day in June 2026. Asserts that each finding has a listed rule and level. Returns the
 * findings.
 */
export function compare(base: OpenApiDocument, revision: OpenApiDocument): readonly Finding[] {
  const findings = compareDocuments(base, revision, '2026-06-15');
  for (const { rule, level } of findings) {
    expect({ rule, levels: RULES.get(rule)?.levels }).toEqual({ rule, levels: expect.arrayContaining([level]) });
  }
  return findings;
}

/** Returns the findings as sorted `ERR rule` lines. */
export function summarize(base: OpenApiDocument, revision: OpenApiDocument): readonly string[] {
  return compare(base, revision)
    .map(({ level, rule }) => `${level} ${rule}`)
    .sort();
}
