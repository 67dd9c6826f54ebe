import type { OpenApiDocument } from '@contract-first/documents';
import type { Node } from './node.ts';

/** ERR breaks clients, WARN may break some, INFO breaks none. */
export type Level = 'ERR' | 'WARN' | 'INFO';

/** The levels, most severe first. */
export const LEVEL_ORDER: readonly Level[] = ['ERR', 'WARN', 'INFO'];

/** A difference between two documents that clients can notice. */
export type Finding = {
  readonly rule: string;
  readonly level: Level;
  /** The document that the pointer leads into: the revision, or the base for removed parts. */
  readonly document: OpenApiDocument;
  readonly pointer: string;
  /** `POST /pets`; absent for findings about the whole document. */
  readonly operation?: string | undefined;
  readonly message: string;
};

/** The direction of data: clients send requests, the service sends responses. */
export type Direction = 'request' | 'response';

/** The effect of a change on the set of allowed values; `unsure` when it is not known. */
export type Effect = 'narrows' | 'widens' | 'differs' | 'unsure' | 'none';

/** The level of a change of the allowed values. */
export const LEVELS: Readonly<Record<Direction, Readonly<Record<Effect, Level>>>> = {
  request: { narrows: 'ERR', widens: 'INFO', differs: 'ERR', unsure: 'WARN', none: 'INFO' },
  response: { narrows: 'INFO', widens: 'ERR', differs: 'ERR', unsure: 'WARN', none: 'INFO' },
};

/** Creates a finding about a node. */
export function finding(
  operation: string | undefined,
  rule: string,
  level: Level,
  { document, pointer }: Node,
  message: string,
): Finding {
  return { rule, level, document, pointer, operation, message };
}

/** Sorts findings by level and node, and removes duplicates. The order does not depend on that of the documents. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const keyed = new Map(findings.map((finding) => [sortKey(finding), finding]));
  return [...keyed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, finding]) => finding);
}

function sortKey({ rule, level, pointer, operation = '', message }: Finding): string {
  const rank = LEVEL_ORDER.indexOf(level);
  return [rank, operation, pointer, rule, message].join('\u0000');
}
