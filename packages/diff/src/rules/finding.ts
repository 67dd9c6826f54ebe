import type { OpenApiDocument } from '@contract-first/documents';
import type { Node } from '../nodes/node.ts';

/** `ERR` breaks clients, `WARN` may break some clients, `INFO` breaks no clients. */
export type Level = 'ERR' | 'WARN' | 'INFO';

/** The levels, most severe first. */
export const LEVEL_ORDER: readonly Level[] = ['ERR', 'WARN', 'INFO'];

/** A compared part of an operation. */
export type FindingContext = {
  /** The operation, such as `POST /pets`; absent for the whole document. */
  readonly operation?: string | undefined;
  /** The name of the part in messages: `request body /name`; empty for the whole document. */
  readonly name: string;
  /** The current date, `2026-12-31`. */
  readonly today: string;
};

/** A position in one of the documents: the revision, or the base for removed parts. */
export type Position = { readonly document: OpenApiDocument; readonly pointer: string };

/** A difference between two documents that clients can notice. */
export type Finding = Position & {
  readonly rule: string;
  readonly level: Level;
  readonly operation?: string | undefined;
  readonly name: string;
  /** A predicate for the name, `was removed`, or a separate clause, `property tag was removed`. */
  readonly change: string;
  /** The `$ref` with a different target that caused this finding. */
  readonly reference?: (Position & { readonly change: string }) | undefined;
};

/** The direction of data: clients send requests, the service sends responses. */
export type MessageDirection = 'request' | 'response';

/** The effect of a change on the set of allowed values; `unsure` if unknown. */
export type Effect = 'narrows' | 'widens' | 'differs' | 'unsure' | 'none';

/** The level of a change of the allowed values. */
export const LEVEL_OF_EFFECT: Readonly<Record<MessageDirection, Readonly<Record<Effect, Level>>>> = {
  request: { narrows: 'ERR', widens: 'INFO', differs: 'ERR', unsure: 'WARN', none: 'INFO' },
  response: { narrows: 'INFO', widens: 'ERR', differs: 'ERR', unsure: 'WARN', none: 'INFO' },
};

/** Creates a finding about a node. */
export function finding(
  { operation, name }: Pick<FindingContext, 'operation' | 'name'>,
  rule: string,
  level: Level,
  { document, pointer }: Node,
  change: string,
): Finding {
  return { rule, level, document, pointer, operation, name, change };
}

/** Returns the message of a finding as a clause: `request body: property tag was removed`. */
export function messageOf({ name, change }: Pick<Finding, 'name' | 'change'>): string {
  if (name === '') return change;
  return /^(?:was|is|became|has|lost|may) /.test(change) ? `${name} ${change}` : `${name}: ${change}`;
}

/** Sorts findings by level and position, and removes duplicates. The result is independent of the documents' order. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const keyed = new Map(findings.map((finding) => [sortKey(finding), finding]));
  return [...keyed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, finding]) => finding);
}

function sortKey({ rule, level, pointer, operation = '', name, change }: Finding): string {
  return [LEVEL_ORDER.indexOf(level), operation, pointer, rule, name, change].join('\u0000');
}
