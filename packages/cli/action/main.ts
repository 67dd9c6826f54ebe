import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readIfPresent } from '../src/read-if-present.ts';
import { publishComment } from './comment.ts';

// The step of action.yml: runs a command, and shows its findings as annotations, in the summary of the job and in a comment
// on the pull request. Its exit code is that of the command.
const { env } = process;
const problems: string[] = [];
const BIN = fileURLToPath(new URL('../bin.js', import.meta.url));
// GitHub rejects a summary of more than 1 MiB.
const MAX_SUMMARY_CHARS = 250_000;

const command = readCommand();
if (problems.length > 0) {
  for (const problem of problems) console.log(`::error title=contract-first::${problem}`);
  process.exitCode = 2;
} else {
  process.exitCode = await run(command);
}

/** A command with its arguments, and the title of its comment. */
type Command = { readonly title: string; readonly words: readonly string[] };

function readCommand(): Command {
  const [name, document] = [input('command'), input('document')];
  const more = input('arguments').split(/\r?\n/).filter(Boolean);
  if (name === 'check') {
    const url = input('url', 'name the running service, such as http://127.0.0.1:8080');
    return { title: `check ${document} ${url}`, words: ['check', document, '--url', url, ...more] };
  }
  if (name === 'diff') {
    const base = input('base', 'name the commit whose document clients know, such as origin/main');
    return { title: `diff ${document}`, words: ['diff', `${base}:${document}`, document, ...more] };
  }
  problems.push(`the input command must be check or diff, not "${name}"`);
  return { title: '', words: [] };
}

/** Returns an input, trimmed. Without it, adds a problem if there is a hint how to fix it. */
function input(name: string, hint?: string): string {
  const value = (env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
  if (value === '' && hint !== undefined) problems.push(`the input ${name} is missing: ${hint}`);
  return value;
}

async function run({ title, words }: Command): Promise<number> {
  const folder = mkdtempSync(join(env['RUNNER_TEMP'] ?? tmpdir(), 'contract-first-'));
  const [annotations, summary] = [join(folder, 'annotations'), join(folder, 'summary.md')];
  const reports = ['--report', `github:${annotations}`, '--report', `markdown:${summary}`];
  // The response of a service must not be a command to the runner, and the token is not for the command.
  const pause = randomUUID();
  console.log(`::stop-commands::${pause}`);
  const { status, error } = spawnSync(process.execPath, [BIN, ...words, ...reports], {
    stdio: 'inherit',
    env: { ...env, INPUT_TOKEN: undefined },
  });
  console.log(`::${pause}::`);
  const code = status ?? 2;
  const failure = `contract-first ${title} was not possible: ${error?.message ?? 'its output in the log says why'}`;
  process.stdout.write(readIfPresent(annotations) ?? `::error title=contract-first::${failure}\n`);
  await publish(title, readIfPresent(summary) ?? `**${failure}**\n`);
  rmSync(folder, { recursive: true });
  append('GITHUB_OUTPUT', `exit-code=${String(code)}\n`);
  return code;
}

async function publish(title: string, markdown: string): Promise<void> {
  append('GITHUB_STEP_SUMMARY', `${markdown.slice(0, MAX_SUMMARY_CHARS)}\n`);
  if (input('comment') !== 'true') return;
  const problem = await publishComment(title, markdown, env, input('token'));
  if (problem !== undefined) console.log(`::warning title=contract-first::the comment was not written: ${problem}`);
}

/** Appends to a file of the runner. */
function append(name: 'GITHUB_OUTPUT' | 'GITHUB_STEP_SUMMARY', text: string): void {
  const path = env[name];
  if (path !== undefined) appendFileSync(path, text);
}
