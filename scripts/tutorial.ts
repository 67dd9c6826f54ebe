import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

// `npm run tutorial` executes .github/TUTORIAL.md block by block in a fresh clone of the last commit: it applies diffs,
// writes files that are named before their block, runs commands and compares their output with the quoted one.
const BLOCK = /^(?:`(?<file>[^`]+)`:\n\n)?```(?<language>\w+)\n(?<text>.*?)^```$/gms;

const folder = mkdtempSync(join(tmpdir(), 'plant-store-tutorial-'));
try {
  execFileSync('git', ['clone', '--quiet', '.', folder]);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const tutorial = readFileSync(join(folder, '.github/TUTORIAL.md'), 'utf8');
  for (const { groups = {} } of tutorial.matchAll(BLOCK)) execute(groups);
} finally {
  rmSync(folder, { recursive: true });
}

function execute({ file, language, text = '' }: Readonly<Record<string, string | undefined>>): void {
  if (language === 'diff') execFileSync('git', ['apply'], { cwd: folder, input: text });
  else if (language === 'console') for (const entry of text.split(/^\$ /m).slice(1)) run(entry);
  else if (file !== undefined) writeFileSync(join(folder, file), text);
  else throw new Error(`a block needs a file name before it, or the language diff or console:\n${text}`);
}

/**
 * Runs a command and checks its output. A quoted failure or compiler error means that the command must fail.
 *
 * @param entry a command, followed by the quoted lines of its output
 * @throws {Error} when the exit code or the output differs
 */
function run(entry: string): void {
  const [command = '', ...lines] = entry.trimEnd().split('\n');
  console.log(`$ ${command}`);
  const { status, stdout } = spawnSync(`${command} 2>&1`, { cwd: folder, shell: true, encoding: 'utf8' });
  const quoted = lines.join('\n');
  const mustFail = /^FAIL|error TS/m.test(quoted);
  if (mustFail === (status !== 0) && patternOf(lines).test(stdout)) return;
  throw new Error(`the output differs from the tutorial (exit code ${String(status)}):\n${stdout}`);
}

/** Compiles quoted lines to a pattern. `…` matches the rest of a line, or any number of lines when it is alone. */
function patternOf(lines: readonly string[]): RegExp {
  const patterns = lines.map((line) =>
    line === '…' ? '[^]*?' : line.replaceAll(/[^\w…]/g, '\\$&').replaceAll('…', '.*'),
  );
  return new RegExp(`^${patterns.join('\n')}$`, 'm');
}
