import { requestWith, responseWith, summarize, type Fragment } from '@contract-first/testing/document.ts';

type Level = 'ERR' | 'WARN' | 'INFO';

/** The findings about a schema in a request and in a response. */
export type Findings = { readonly request: readonly string[]; readonly response: readonly string[] };

/** A change of a schema, and its findings. */
export type SchemaRow = readonly [name: string, base: unknown, revision: unknown, want: Findings];

/** Returns the findings about a change of a schema in a request and in a response. */
export function summarizeBoth(
  base: unknown,
  revision: unknown,
  baseRest: Fragment = {},
  revisionRest: Fragment = {},
): Findings {
  return {
    request: summarize(requestWith(base, baseRest), requestWith(revision, revisionRest)),
    response: summarize(responseWith(base, baseRest), responseWith(revision, revisionRest)),
  };
}

export const NOTHING: Findings = { request: [], response: [] };

/** Returns one finding for each direction, with the same rule. */
export function found(request: Level, response: Level, rule: string): Findings {
  return { request: [`${request} request-${rule}`], response: [`${response} response-${rule}`] };
}

/** Breaks requests only: fewer values are valid. */
export const narrows = (rule: string): Findings => found('ERR', 'INFO', rule);
/** Breaks responses only: more values are valid. */
export const widens = (rule: string): Findings => found('INFO', 'ERR', rule);
/** Breaks both directions. */
export const breaks = (rule: string): Findings => found('ERR', 'ERR', rule);
