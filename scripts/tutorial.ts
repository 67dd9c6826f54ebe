import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

// `npm run tutorial` does what .github/TUTORIAL.md says, block by block, in a fresh clone of the last commit: it applies
// diffs, writes the files that are named before their blocks, runs commands and looks for what they are said to print.
const BLOCK = /^(?:`(?<file>[^`]+)`:\n\n)?```(?<language>\w+)\n(?<text>.*?)^```$/gms;

const folder = mkdtempSync(join(tmpdir(), 'plant-store-tutorial-'));
try {
  execFileSync('git', ['clone', '--quiet', '.', folder]);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const tutorial = readFileSync(join(folder, '.github/TUTORIAL.md'), 'utf8');
  for (const { groups = {} } of tutorial.matchAll(BLOCK)) follow(groups);
} finally {
  rmSync(folder, { recursive: true });
}

function follow({ file, language, text = '' }: Readonly<Record<string, string | undefined>>): void {
  if (language === 'diff') execFileSync('git', ['apply'], { cwd: folder, input: text });
  else if (language === 'console') for (const entry of text.split(/^\$ /m).slice(1)) run(entry);
  else if (file !== undefined) writeFileSync(join(folder, file), text);
  else throw new Error(`nobody says what this is:\n${text}`);
}

/** @param entry a command, and after it the lines to look for in what it prints */
function run(entry: string): void {
  const [command = '', ...lines] = entry.trimEnd().split('\n');
  console.log(`$ ${command}`);
  const { status, stdout } = spawnSync(`${command} 2>&1`, { cwd: folder, shell: true, encoding: 'utf8' });
  const quoted = lines.join('\n');
  const isToFail = /^FAIL|error TS/m.test(quoted);
  if (isToFail === (status !== 0) && patternOf(lines).test(stdout)) return;
  throw new Error(`this is not what the tutorial says (exit ${String(status)}):\n${stdout}`);
}

/** `…` is anything in its line; in a line of its own, any number of lines. */
function patternOf(lines: readonly string[]): RegExp {
  const patterns = lines.map((line) =>
    line === '…' ? '[^]*?' : line.replaceAll(/[^\w…]/g, '\\$&').replaceAll('…', '.*'),
  );
  return new RegExp(`^${patterns.join('\n')}$`, 'm');
}
