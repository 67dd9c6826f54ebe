import { existsSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { loadYaml, readIfPresent } from '@contract-first/command-line/files';
import type { OptionDeclaration } from '@contract-first/command-line/options';
import { type Finding, type Level, LEVEL_ORDER } from '../rules/finding.ts';
import type { Location } from './sources.ts';

/** An accepted finding. */
export type IgnoreEntry = {
  readonly rule: string;
  /** Absent for findings about the whole document, or for all operations at the pointer. */
  readonly operation?: string | undefined;
  /** The place; absent for all findings of the rule in the operation. */
  readonly pointer?: string | undefined;
  readonly reason: string;
  /** The last day on which the entry is valid: `2026-12-31`. */
  readonly until: string;
  /** The location of the entry itself. */
  readonly location: Location & { readonly pointer: string };
};

/** A team's policy: accepted findings and changed levels. */
export type Policy = { readonly ignore: readonly IgnoreEntry[]; readonly levels: ReadonlyMap<string, Level> };

/** The findings after applying a policy. */
export type AppliedPolicy = {
  readonly kept: readonly Finding[];
  readonly ignored: readonly Finding[];
  /** The valid entries that match no finding. */
  readonly unused: readonly IgnoreEntry[];
  readonly expired: readonly IgnoreEntry[];
};

/** Changes the levels of findings, and removes accepted findings. Idempotent. */
export function applyPolicy({ ignore, levels }: Policy, findings: readonly Finding[], today: string): AppliedPolicy {
  const valid = ignore.filter(({ until }) => today <= until);
  const isIgnored = (finding: Finding): boolean => valid.some((entry) => covers(entry, finding));
  return {
    kept: findings
      .filter((finding) => !isIgnored(finding))
      .map((finding) => ({ ...finding, level: levels.get(finding.rule) ?? finding.level })),
    ignored: findings.filter(isIgnored),
    unused: valid.filter((entry) => !findings.some((finding) => covers(entry, finding))),
    expired: ignore.filter((entry) => !valid.includes(entry)),
  };
}

function covers(entry: IgnoreEntry, { rule, operation, pointer, reference }: Finding): boolean {
  if (entry.rule !== rule) return false;
  if (entry.pointer !== undefined && ![pointer, reference?.pointer].includes(entry.pointer)) return false;
  return entry.operation === operation || (entry.operation === undefined && entry.pointer !== undefined);
}

const OPTIONS_FILE = '.contract.yaml';
const SECTION = 'diff';
// The file of the policy in version 1.0.
const FORMER_FILE = '.contract-diff.yaml';

/** The policy is invalid. The message has one line per problem. */
class InvalidPolicy extends Error {}

type PolicyFile = {
  readonly ignore?: readonly Omit<IgnoreEntry, 'location'>[];
  readonly levels?: Readonly<Record<string, Level>>;
};

const text = { type: 'string', pattern: '\\S' };
const SCHEMA = {
  type: 'object',
  properties: {
    ignore: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['rule', 'reason', 'until'],
        properties: {
          rule: { type: 'string', format: 'rule' },
          operation: text,
          pointer: text,
          reason: text,
          until: { type: 'string', format: 'date' },
        },
      },
    },
    levels: { type: 'object', propertyNames: { format: 'rule' }, additionalProperties: { enum: LEVEL_ORDER } },
  },
};

/** The options of the policy. Only an options file may contain them. */
export const POLICY_OPTIONS: readonly OptionDeclaration[] = [
  { name: 'ignore', kind: 'data', text: 'accepted findings', schema: SCHEMA.properties.ignore },
  { name: 'levels', kind: 'data', text: 'levels of rules', schema: SCHEMA.properties.levels },
];

/**
 * Reads the policy in the section `diff` of an options file. Without it, the policy is empty.
 *
 * @param path by default, the path of an optional file
 * @param isRule returns whether a rule exists
 * @throws {InvalidPolicy} with all problems
 */
export function readPolicy(path: string | undefined, isRule: (name: string) => boolean): Policy {
  if (existsSync(FORMER_FILE))
    throw new InvalidPolicy(`${FORMER_FILE} is not read: move its content to the member ${SECTION} of ${OPTIONS_FILE}`);
  const file = path ?? OPTIONS_FILE;
  const source = readIfPresent(file);
  if (source === undefined) return { ignore: [], levels: new Map() };
  const { isNode, LineCounter, parseDocument } = loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  const positionAt = (offset: number): Location => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const locate = (path: readonly (string | number)[]): Location => {
    const node = document.getIn([SECTION, ...path], true);
    return positionAt((isNode(node) ? node.range?.[0] : undefined) ?? 0);
  };
  const format = ({ line, column }: Location, message: string): string =>
    `${file}:${String(line)}:${String(column)} ${message}`;

  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, formats: { rule: isRule, date: isDate } });
  // The options reader has reported errors of syntax.
  const { [SECTION]: read = {} } = (document.toJS() ?? {}) as { readonly diff?: unknown };
  if (!ajv.validate<PolicyFile>(SCHEMA, read)) {
    const mistakes = (ajv.errors ?? []).flatMap((error) => {
      const path = error.instancePath.split('/').slice(1);
      const message = describe(error);
      return message === undefined ? [] : [format(locate(path), `/${SECTION}${error.instancePath} ${message}`)];
    });
    throw new InvalidPolicy(mistakes.join('\n'));
  }
  const { ignore = [], levels = {} } = read;
  return {
    ignore: ignore.map((entry, index) => ({
      ...entry,
      location: { ...locate(['ignore', index]), pointer: `/${SECTION}/ignore/${String(index)}` },
    })),
    levels: new Map(Object.entries(levels)),
  };
}

/** Returns the message of an error; `undefined` for redundant errors. */
function describe({ keyword, message = '', params, propertyName }: ErrorObject): string | undefined {
  switch (keyword) {
    case 'propertyNames':
      return undefined;
    case 'additionalProperties':
      return `has no member ${String(params['additionalProperty'])}`;
    case 'format':
      if (params['format'] === 'date') return 'must be a date, such as 2026-12-31';
      return propertyName === undefined
        ? 'must be a rule; see --rules'
        : `has the unknown rule ${propertyName}; see --rules`;
    case 'enum':
      return `must be one of ${LEVEL_ORDER.join(', ')}`;
    case 'pattern':
      return 'must not be empty';
    default:
      return message;
  }
}

function isDate(given: string): boolean {
  const time = Date.parse(`${given}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(given) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(given);
}
