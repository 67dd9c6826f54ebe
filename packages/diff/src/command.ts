import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  ALLOW_REFS_OPTION,
  type CommandDeclaration,
  CONFIG,
  createOptionReader,
  defineCommand,
  type ParsedCommandLine,
  QUIET,
  readOptionsFile,
  readRefs,
} from '@contract-first/command-line/options';
import { print, printError } from '@contract-first/command-line/terminal';
import { escapeControls } from '@contract-first/contract';
import { compareSources } from './compare-sources.ts';
import { type Level, LEVEL_ORDER } from './rules/finding.ts';
import { POLICY_OPTIONS, readPolicy } from './sources/policy.ts';
import { formatChangelog } from './reports/changelog.ts';
import { formatGithub } from './reports/github.ts';
import { formatJson } from './reports/json.ts';
import { formatJunitReport } from './reports/junit.ts';
import { formatMarkdown } from './reports/markdown.ts';
import type { Report } from './reports/report.ts';
import { formatSarifReport } from './reports/sarif.ts';
import { formatText } from './reports/text.ts';
import { type Rule, RULES } from './rules/rules.ts';
import { readSource } from './sources/sources.ts';

const REPORTS: ReadonlyMap<string, Report> = new Map<string, Report>([
  ['text', formatText],
  ['json', formatJson],
  ['markdown', formatMarkdown],
  ['changelog', formatChangelog],
  ['github', formatGithub],
  ['junit', formatJunitReport],
  ['sarif', formatSarifReport],
]);
const FORMATS = [...REPORTS.keys()];

const DIFF: CommandDeclaration = {
  name: 'diff',
  description:
    'Lists the changes between two documents and their effects on clients. The base is the published document, the revision the new one, by default openapi.yaml. Each is a file, a git revision (its openapi.yaml), <git revision>:<path>, or an http URL of this machine.',
  arguments: [{ name: 'base' }, { name: 'revision' }],
  options: [
    { name: 'base', kind: 'text', value: 'SOURCE', text: 'the same as the first argument' },
    { name: 'revision', kind: 'text', value: 'SOURCE', text: 'the same as the second argument' },
    {
      name: 'fail-on',
      kind: 'text',
      value: 'LEVEL',
      choices: LEVEL_ORDER,
      text: 'exit 1 for findings of this level or worse: ERR (default), WARN or INFO',
    },
    {
      name: 'format',
      kind: 'text',
      value: 'FORMAT',
      choices: FORMATS,
      where: 'line',
      text: `${FORMATS.join(', ')} (default: text)`,
    },
    { name: 'json', kind: 'flag', text: 'short for --format json', where: 'line' },
    { name: 'changelog', kind: 'flag', text: 'short for --format changelog', where: 'line' },
    {
      name: 'report',
      kind: 'list',
      value: 'FORMAT:FILE',
      choices: FORMATS.map((name) => `${name}:`),
      text: 'also write a report in one of these formats',
    },
    { name: 'rules', kind: 'flag', text: 'list all rules with their levels', where: 'line' },
    { ...ALLOW_REFS_OPTION, where: 'line' },
    { ...QUIET, text: 'print nothing unless the command fails' },
    CONFIG,
    ...POLICY_OPTIONS,
  ],
  examples: [
    ['contract-first diff HEAD', 'Compare openapi.yaml with the last commit'],
    ['contract-first diff old.yaml new.yaml', 'Compare two files'],
    ['contract-first diff origin/main:api/pets.yaml api/pets.yaml --fail-on WARN', 'Fail for warnings, too'],
    ['contract-first diff v1.0.0 --changelog', 'Print the changes since a tag for release notes'],
  ],
  section: 'diff',
};

const COLORS = { ERR: 'red', WARN: 'yellow', INFO: 'dim' } as const;
/** Compares two documents. The exit code is 1 for findings of the level of `--fail-on`, 2 if they cannot be compared. */
export const diffCommand = defineCommand(DIFF, async ({ options }) =>
  compare(options).catch((error: unknown) => {
    // Exit code 1 is reserved for findings.
    printError(`contract-first diff: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }),
);

async function compare(onCommandLine: ParsedCommandLine['options']): Promise<number> {
  const problems: string[] = [];
  const configPath = onCommandLine.get('config')?.values[0];
  const inFile = readOptionsFile(configPath, DIFF, problems);
  const reader = createOptionReader(new Map([...inFile, ...onCommandLine]), {}, problems);
  const { has, textOf, read, refuse } = reader;
  const formats = [textOf('format'), has('json') && 'json', has('changelog') && 'changelog'].filter((name) => !!name);
  const [format = 'text'] = formats.map(String);
  const report = REPORTS.get(format);
  const failOn = textOf('fail-on') ?? 'ERR';
  const failing = LEVEL_ORDER.findIndex((level) => level === failOn);
  if (has('rules')) {
    print(formatRuleList(RULES.values()));
    return 0;
  }
  if (formats.length > 1) refuse('only one of --format, --json and --changelog is possible');
  if (report === undefined) refuse(`--format must be one of ${FORMATS.join(', ')}`);
  const files = read('report', (text, place) => readTarget(text, place, refuse));
  if (failing === -1) refuse(`--fail-on must be one of ${LEVEL_ORDER.join(', ')}`);
  const from = textOf('base');
  const to = textOf('revision') ?? 'openapi.yaml';
  if (from === undefined) refuse('name the base: a file, a git revision or a URL; see --help');
  if (from !== undefined && !has('revision') && resolve(from) === resolve(to))
    refuse(`name the revision, too: the base is ${to}, its default; or a base such as HEAD`);
  const allowed = readRefs(reader);
  if (problems.length > 0 || report === undefined || from === undefined) throw new Error(problems.join('\n'));

  const policy = readPolicy(configPath, (rule) => RULES.has(rule));
  const base = await readSource('base', from, allowed);
  const revision = await readSource('revision', to, allowed);
  const compared = compareSources({ base, revision }, policy, new Date().toISOString().slice(0, '2026-12-31'.length));
  const fails = (level: Level): boolean => LEVEL_ORDER.indexOf(level) <= failing;
  const render = (format: Report): string => escapeControls(format({ ...compared, fails }));
  for (const { format, path } of files) writeFileSync(path, render(format));
  const isFailed = compared.changes.some(({ level }) => fails(level));
  if (isFailed || !has('quiet')) print(report({ ...compared, fails }).trimEnd(), format === 'text' ? COLORS : {});
  return isFailed ? 1 : 0;
}

/** Parses `markdown:diff.md`: the format of a report and a file path. Returns `undefined` for other texts. */
function readTarget(text: string, place: string, refuse: (problem: string) => void) {
  const [, name = '', path = ''] = /^([^:]*):(.+)$/s.exec(text) ?? [];
  const format = REPORTS.get(name);
  if (format !== undefined) return { format, path };
  refuse(`${place} must be such as markdown:diff.md, with ${FORMATS.join(', ')}, not "${text}"`);
  return undefined;
}

/** Formats each rule as a line: name, levels, meaning, and the difference from oasdiff. */
function formatRuleList(rules: Iterable<Rule>): string {
  const all = [...rules];
  const nameWidth = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(({ levels, name, meaning, difference }) => {
    const note = difference === undefined ? '' : ` (${difference.there} in oasdiff: ${difference.reason})`;
    return `${name.padEnd(nameWidth)}  ${levels.join(', ').padEnd('WARN, INFO'.length)}  ${meaning}${note}`;
  });
  return lines.join('\n');
}
