import { writeFileSync } from 'node:fs';
import { parseArgs, styleText } from 'node:util';
import { exitWithoutOutput, printError } from '@contract-first/command-line/terminal';
import { escapeControls } from '@contract-first/contract';
import { ALLOW_REFS, readAllowedRefs } from '@contract-first/documents';
import { compareSources } from './compare-sources.ts';
import { type Level, LEVEL_ORDER } from './rules/finding.ts';
import { readPolicy } from './sources/policy.ts';
import { formatChangelog } from './reports/changelog.ts';
import { formatGithub } from './reports/github.ts';
import { formatJson } from './reports/json.ts';
import { formatJunitReport } from './reports/junit.ts';
import { formatMarkdown } from './reports/markdown.ts';
import type { Report } from './reports/report.ts';
import { formatText } from './reports/text.ts';
import { type Rule, RULES } from './rules/rules.ts';
import { readSource } from './sources/sources.ts';

// `contract-first diff --base <source>` lists the changes of openapi.yaml since the base. Exits with 0 if no finding
// has the level of --fail-on, with 1 if one does, and with 2 if the documents cannot be compared.
const USAGE = `contract-first diff <base> [<revision>] [options]

Lists what the changes between two documents mean for clients. The base is the document that clients know, the revision the
new one, by default openapi.yaml.

  --base <source>       the same as <base>
  --revision <source>   the same as <revision>
  --fail-on <level>     exit 1 for findings of this level or worse: ERR (default), WARN or INFO
  --format <format>     text (default), json, markdown, changelog, github or junit
  --json, --changelog   short for --format json and --format changelog
  --report <kind:file>  also write a report in one of these formats; repeatable
  --rules               list all rules with their levels
  --allow-refs <kinds>  let references leave the folder of the document or its git repository: files, http or both
  --help                print this text

A source is a file, a git revision (its openapi.yaml), <git revision>:<path>, or an http URL of this machine.
`;

const COLORS = { ERR: 'red', WARN: 'yellow', INFO: 'dim' } as const;
const REPORTS: ReadonlyMap<string, Report> = new Map<string, Report>([
  ['text', formatText],
  ['json', formatJson],
  ['markdown', formatMarkdown],
  ['changelog', formatChangelog],
  ['github', formatGithub],
  ['junit', formatJunitReport],
]);

/** Runs the command with arguments. Returns the exit code. */
export async function diffCommand(args: readonly string[]): Promise<number> {
  exitWithoutOutput();
  return compare(args).catch((error: unknown) => {
    // Exit code 1 is reserved for findings.
    printError(`contract-first diff: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  });
}

async function compare(args: readonly string[]): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      base: { type: 'string' },
      revision: { type: 'string' },
      'fail-on': { type: 'string', default: 'ERR' },
      format: { type: 'string' },
      json: { type: 'boolean' },
      changelog: { type: 'boolean' },
      report: { type: 'string', multiple: true, default: [] },
      rules: { type: 'boolean' },
      help: { type: 'boolean' },
      ...ALLOW_REFS,
    },
  });
  const formats = [values.format, values.json && 'json', values.changelog && 'changelog'].filter((name) => !!name);
  const [format = 'text'] = formats.map(String);
  const report = REPORTS.get(format);
  const failing = LEVEL_ORDER.findIndex((level) => level === values['fail-on']);
  if (values.help) return show(USAGE);
  if (values.rules) return show(formatRuleList(RULES.values()));
  if (formats.length > 1) throw new Error('only one of --format, --json and --changelog is possible');
  if (report === undefined) throw new Error(`--format must be one of ${[...REPORTS.keys()].join(', ')}`);
  const files = values.report.map(readTarget);
  if (failing === -1) throw new Error(`--fail-on must be one of ${LEVEL_ORDER.join(', ')}`);
  const unnamed = [...positionals];
  const { base: from = unnamed.shift(), revision: to = unnamed.shift() ?? 'openapi.yaml' } = values;
  if (from === undefined) throw new Error('name the base: a file, a git revision or a URL; see --help');
  if (unnamed.length > 0) throw new Error('name a base and a revision, and no more');

  const allowed = readAllowedRefs(values['allow-refs']);
  const policy = await readPolicy((rule) => RULES.has(rule));
  const base = await readSource('base', from, allowed);
  const revision = await readSource('revision', to, allowed);
  const compared = compareSources({ base, revision }, policy, new Date().toISOString().slice(0, '2026-12-31'.length));
  const fails = (level: Level): boolean => LEVEL_ORDER.indexOf(level) <= failing;
  const render = (format: Report): string => escapeControls(format({ ...compared, fails }));
  for (const { format, path } of files) writeFileSync(path, render(format));
  const text = render(report);
  process.stdout.write(format === 'text' ? paintLevels(text) : text);
  return compared.changes.some(({ level }) => fails(level)) ? 1 : 0;
}

/** Parses `markdown:diff.md`: the format of a report and a file path. @throws {Error} for other texts */
function readTarget(text: string): { readonly format: Report; readonly path: string } {
  const [, name = '', path = ''] = /^([^:]*):(.+)$/s.exec(text) ?? [];
  const format = REPORTS.get(name);
  if (format !== undefined) return { format, path };
  throw new Error(`--report must be such as markdown:diff.md, with ${[...REPORTS.keys()].join(', ')}, not "${text}"`);
}

function show(text: string): number {
  process.stdout.write(text);
  return 0;
}

/** Colours the levels of findings if standard output is a terminal with colours. */
function paintLevels(text: string): string {
  return text.replaceAll(
    /(?<=^ {2})(?:ERR|WARN|INFO)(?= )/gm,
    (level) => styleText(COLORS[level as Level], level, { stream: process.stdout }), // One of the matched words.
  );
}

/** Formats each rule as a line: name, levels, meaning, and the difference from oasdiff. */
function formatRuleList(rules: Iterable<Rule>): string {
  const all = [...rules];
  const nameWidth = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(({ levels, name, meaning, difference }) => {
    const note = difference === undefined ? '' : ` (${difference.there} in oasdiff: ${difference.reason})`;
    return `${name.padEnd(nameWidth)}  ${levels.join(', ').padEnd('WARN, INFO'.length)}  ${meaning}${note}\n`;
  });
  return lines.join('');
}
