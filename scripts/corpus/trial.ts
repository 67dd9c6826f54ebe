import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHECKERS, HANDLERS, SERVICE } from './application.ts';

/** What became of a document, and what it cost. */
export type Trial = {
  readonly name: string;
  /** The last step that succeeded. */
  readonly reached: 'nothing' | 'generated' | 'compiled' | 'started';
  /** Why the next step failed. */
  readonly reason?: string;
  readonly operations?: number;
  readonly generateMs?: number;
  readonly generateMegabytes?: number;
  /** How long the service took to start in production. */
  readonly startMs?: number;
  /** How long the event loop was held by the first request to an operation, at most. */
  readonly firstRequestMs?: number;
};

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TIME_LIMIT_MS = 240_000;

/** Makes a service of a document in a temporary folder: generate with scaffolded handlers, type check, start. */
export async function tryDocument(path: string, name: string): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), 'corpus-'));
  try {
    return await tryIn(folder, path, name);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function tryIn(folder: string, path: string, name: string): Promise<Trial> {
  mkdirSync(join(folder, 'src/application'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(ROOT, file), join(folder, file));
  cpSync(join(ROOT, 'src/engine'), join(folder, 'src/engine'), { recursive: true });
  cpSync(join(ROOT, 'src/plants/contract.ts'), join(folder, 'src/application/contract.ts'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  cpSync(path, join(folder, 'openapi.yaml'));
  writeFileSync(join(folder, 'src/application/handlers.ts'), HANDLERS);
  writeFileSync(join(folder, 'src/application/checkers.ts'), CHECKERS);
  writeFileSync(join(folder, 'src/service.ts'), SERVICE);
  const files = ['src/application', 'src/service.ts', 'generated/types.ts'];
  writeFileSync(join(folder, 'tsconfig.trial.json'), JSON.stringify({ extends: './tsconfig.json', include: files }));

  const startedAt = performance.now();
  const generated = await run(folder, [join(ROOT, 'scripts/generate.ts'), '--scaffold']);
  const cost = { generateMs: performance.now() - startedAt, generateMegabytes: generated.peakMegabytes };
  if (generated.code !== 0) return { name, reached: 'nothing', reason: firstError(generated.output), ...cost };

  const checked = await run(folder, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.trial.json']);
  if (checked.code !== 0) return { name, reached: 'generated', reason: firstError(checked.output), ...cost };

  const started = await run(folder, [join(ROOT, 'scripts/corpus/first-requests.ts'), join(folder, 'src/service.ts')]);
  if (started.code !== 0) return { name, reached: 'compiled', reason: firstError(started.output), ...cost };
  const measured = JSON.parse(started.output.trim().split('\n').at(-1) ?? '') as Pick<
    Trial,
    'operations' | 'startMs' | 'firstRequestMs'
  >;
  return { name, reached: 'started', ...cost, ...measured };
}

function firstError(output: string): string {
  const lines = output.split('\n').filter((line) => line !== '' && !line.includes('warn'));
  return (lines.find((line) => line.includes('error')) ?? lines[0] ?? 'no output').slice(0, 300);
}

// Prints the peak memory of a process on standard error when it ends.
const PRINT_PEAK = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => console.error('peak ' + process.resourceUsage().maxRSS))",
)}`;

/** Runs a module in a folder, with a time limit. */
async function run(folder: string, args: readonly string[]) {
  const child = spawn(process.execPath, ['--import', PRINT_PEAK, ...args], { cwd: folder, timeout: TIME_LIMIT_MS });
  let output = '';
  const collect = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const [code] = (await once(child, 'close')) as [number | null]; // As documented by Node.
  const peak = Number(/^peak (\d+)$/m.exec(output)?.[1] ?? NaN) / 1024;
  const text = code === null ? 'error: took too long' : output.replace(/^peak \d+\n/m, '');
  return { code, output: text, peakMegabytes: peak };
}
