import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkCommand } from '@contract-first/check/command';
import { readOptionsFile } from '@contract-first/command-line/options';
import { readIfPresent } from '@contract-first/command-line/files';
import { escapeMarkdown, formatWorkflowCommand } from '@contract-first/command-line/reports';
import type { CommentFile } from './comment.ts';

// The first step of action.yml: runs a command, and shows its findings as annotations and in the job summary. Writes
// the pull request comment to a file. Exits with the exit code of the command.
const { env } = process;
const problems: string[] = [];
const BIN = fileURLToPath(new URL('../bin.js', import.meta.url));
// GitHub rejects summaries above 1 MiB.
const MAX_SUMMARY_CHARS = 250_000;
// GitHub's name for the commit before the first push of a branch.
const NO_COMMIT = /^0{40,}$/;
const TEMPORARY = env['RUNNER_TEMP'] ?? tmpdir();

const command = readCommand();
if (problems.length > 0) {
  for (const problem of problems) process.stdout.write(annotate(problem));
  process.exitCode = 2;
} else {
  process.exitCode = run(command);
}

/** A command with its arguments and the title of its comment. */
type Command = { readonly title: string; readonly words: readonly string[] };

function readCommand(): Command {
  const [name, document] = [input('command'), input('document')];
  const more = input('arguments').split(/\r?\n/).filter(Boolean);
  if (name === 'check') {
    refuseCode(more);
    const url = input('url', 'name the running service, such as http://127.0.0.1:8080');
    const shown = url.replace(/\/\/[^/]*@/, '//').replace(/[?#].*/s, ''); // A comment is public.
    return { title: `check ${document} ${shown}`, words: ['check', document, '--url', url, ...more] };
  }
  if (name === 'diff') {
    const given = input('base', 'name the commit whose document clients know, such as origin/main');
    const base = NO_COMMIT.test(given) ? 'HEAD~1' : given;
    return { title: `diff ${document}`, words: ['diff', `${base}:${document}`, document, ...more] };
  }
  problems.push(`the input command must be check or diff, not "${name}"`);
  return { title: '', words: [] };
}

/** Reports options that run code in the options file, which a pull request can change. */
function refuseCode(args: readonly string[]): void {
  const { values } = parseArgs({ args: [...args], options: { config: { type: 'string' } }, strict: false });
  const { declaration } = checkCommand;
  const options = readOptionsFile(typeof values.config === 'string' ? values.config : undefined, declaration, []);
  for (const { name, isCode } of declaration.options) {
    if (isCode !== true) continue;
    const { place } = options.get(name) ?? {};
    if (place !== undefined && values[name] === undefined)
      problems.push(`${place} is not run, since a pull request can change it: name it in the input arguments`);
  }
}

/**
 * Returns a trimmed input. Reports a problem if the input is missing and a hint is given, or if it would be an option: a
 * workflow may take the document from the names of changed files.
 */
function input(name: string, hint?: string): string {
  const value = (env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
  if (value === '' && hint !== undefined) problems.push(`the input ${name} is missing: ${hint}`);
  if (value.startsWith('-') && name !== 'arguments') problems.push(`the input ${name} must not begin with "-"`);
  return value;
}

/** Runs a command. Returns its exit code. */
function run({ title, words }: Command): number {
  const folder = mkdtempSync(join(TEMPORARY, 'contract-first-'));
  const [annotations, summary] = [join(folder, 'annotations'), join(folder, 'summary.md')];
  const reports = ['--report', `github:${annotations}`, '--report', `markdown:${summary}`];
  // Prevents service responses from being interpreted as workflow commands.
  const pause = randomUUID();
  console.log(`::stop-commands::${pause}`);
  const { status, error } = spawnSync(process.execPath, [BIN, ...words, ...reports], { stdio: 'inherit' });
  console.log(`::${pause}::`);
  const code = status ?? 2;
  const failure = `contract-first ${title} was not possible: ${error?.message ?? 'its output in the log says why'}`;
  process.stdout.write(readIfPresent(annotations) ?? annotate(failure));
  const markdown = readIfPresent(summary) ?? `**${escapeMarkdown(failure)}**\n`;
  append('GITHUB_STEP_SUMMARY', `${markdown.slice(0, MAX_SUMMARY_CHARS)}\n`);
  rmSync(folder, { recursive: true });
  append('GITHUB_OUTPUT', `exit-code=${String(code)}\n`);
  if (input('comment') === 'true') writeComment({ title, markdown });
  return code;
}

/** Writes the comment to a file for the next step. */
function writeComment(comment: CommentFile): void {
  const file = join(mkdtempSync(join(TEMPORARY, 'contract-first-')), 'comment.json');
  writeFileSync(file, JSON.stringify(comment));
  append('GITHUB_OUTPUT', `comment=${file}\n`);
}

function annotate(problem: string): string {
  return formatWorkflowCommand('error', { title: 'contract-first' }, problem);
}

/** Appends to a file of the GitHub runner. */
function append(name: 'GITHUB_OUTPUT' | 'GITHUB_STEP_SUMMARY', text: string): void {
  const path = env[name];
  if (path !== undefined) appendFileSync(path, text);
}
