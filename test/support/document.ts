import type { OpenApiDocument } from '../../scripts/contract/load.ts';
import { compareDocuments } from '../../scripts/diff/documents.ts';
import type { Finding } from '../../scripts/diff/finding.ts';

export type Fragment = Readonly<Record<string, unknown>>;

/** A valid document around some paths; what is given besides replaces its members. */
export function documentWith(paths: Fragment, rest: Fragment = {}): OpenApiDocument {
  return { openapi: '3.1.0', info: { title: 'Test', version: '1.0.0' }, security: [], paths, ...rest };
}

/** A document with one operation, `POST /things`. */
export function operationWith(operation: Fragment, rest: Fragment = {}): OpenApiDocument {
  const post = { operationId: 'createThing', responses: { '204': { description: 'Done.' } }, ...operation };
  return documentWith({ '/things': { post } }, rest);
}

/** A document whose operation takes a JSON body. */
export function requestWith(schema: unknown, rest: Fragment = {}): OpenApiDocument {
  return operationWith({ requestBody: { required: true, content: { 'application/json': { schema } } } }, rest);
}

/** A document whose operation answers with a JSON body. */
export function responseWith(schema: unknown, rest: Fragment = {}): OpenApiDocument {
  const ok = { description: 'A thing.', content: { 'application/json': { schema } } };
  return operationWith({ responses: { '200': ok } }, rest);
}

/** A schema for an object that may have a property `p`. */
export function property(schema: unknown): Fragment {
  return { type: 'object', properties: { p: schema } };
}

/** A document whose operation takes parameters. */
export function parametersWith(...parameters: readonly Fragment[]): OpenApiDocument {
  return operationWith({ parameters });
}

/** A document whose operation answers 200 with headers. */
export function headersWith(headers: Fragment): OpenApiDocument {
  return operationWith({ responses: { '200': { description: 'Done.', headers } } });
}

/** What changes for clients, on a day in June 2026. */
export function compare(base: OpenApiDocument, revision: OpenApiDocument): readonly Finding[] {
  return compareDocuments(base, revision, '2026-06-15');
}

/** What changes for clients as `ERR rule`, sorted. */
export function summarize(base: OpenApiDocument, revision: OpenApiDocument): readonly string[] {
  return compare(base, revision)
    .map(({ level, rule }) => `${level} ${rule}`)
    .sort();
}
