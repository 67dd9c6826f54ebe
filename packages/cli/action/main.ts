import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishComment } from './comment.ts';

// The step of action.yml: runs a command, and shows its findings as annotations, in the summary of the job and in a comment
// on the pull request. Its exit code is that of the command.
const { env } = process;
const problems: string[] = [];
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string; // The package's own manifest.
};

const args = readArguments();
if (problems.length > 0) {
  for (const problem of problems) console.log(`::error title=contract-first::${problem}`);
  process.exitCode = 2;
} else {
  process.exitCode = await run(args);
}

function readArguments(): readonly string[] {
  const command = input('command');
  const document = input('document');
  const more = input('arguments').split(/\r?\n/).filter(Boolean);
  if (command === 'check') {
    return [
      'check',
      document,
      '--url',
      input('url', 'name the running service, such as http://127.0.0.1:8080'),
      ...more,
    ];
  }
  if (command === 'diff') {
    const base = input('base', 'name the commit whose document clients know, such as origin/main');
    return ['diff', `${base}:${document}`, document, ...more];
  }
  problems.push(`the input command must be check or diff, not "${command}"`);
  return [];
}

/** Returns an input, trimmed. Without it, adds a problem if there is a hint how to fix it. */
function input(name: string, hint?: string): string {
  const value = (env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
  if (value === '' && hint !== undefined) problems.push(`the input ${name} is missing: ${hint}`);
  return value;
}

async function run(words: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(env['RUNNER_TEMP'] ?? tmpdir(), 'contract-first-'));
  const [annotations, summary] = [join(folder, 'annotations'), join(folder, 'summary.md')];
  const reports = ['--report', `github:${annotations}`, '--report', `markdown:${summary}`];
  const bin = ['--yes', `contract-first@${version}`];
  // The response of a service must not be a command to the runner.
  const pause = randomUUID();
  console.log(`::stop-commands::${pause}`);
  const { status } = spawnSync('npx', [...bin, ...words, ...reports], { stdio: 'inherit' });
  console.log(`::${pause}::`);
  if (existsSync(annotations)) process.stdout.write(readFileSync(annotations, 'utf8'));
  if (existsSync(summary)) await publish(`${input('command')} ${input('document')}`, readFileSync(summary, 'utf8'));
  rmSync(folder, { recursive: true });
  append('GITHUB_OUTPUT', `exit-code=${String(status ?? 2)}\n`);
  return status ?? 2;
}

async function publish(title: string, markdown: string): Promise<void> {
  append('GITHUB_STEP_SUMMARY', `${markdown}\n`);
  if (input('comment') !== 'true') return;
  const problem = await publishComment(title, markdown, env, input('token'));
  if (problem !== undefined) console.log(`::warning title=contract-first::the comment was not written: ${problem}`);
}

/** Appends to a file of the runner. */
function append(name: 'GITHUB_OUTPUT' | 'GITHUB_STEP_SUMMARY', text: string): void {
  const path = env[name];
  if (path !== undefined) appendFileSync(path, text);
}
