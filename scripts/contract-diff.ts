import { parseArgs, styleText } from 'node:util';
import { readBase, readDocument } from './diff/base.ts';
import { compareDocuments } from './diff/documents.ts';
import type { Level } from './diff/finding.ts';
import { formatFindings } from './diff/report.ts';

// `npm run contract:diff -- --base <git revision or file>` tells what openapi.yaml changes for the clients of the base.
// Exit 0: nothing breaks them; 1: something does; 2: the comparison could not be made.
const COLORS = { ERR: 'red', WARN: 'yellow', INFO: 'dim' } as const;

async function run(): Promise<number> {
  const { values } = parseArgs({ options: { base: { type: 'string' }, json: { type: 'boolean', default: false } } });
  if (values.base === undefined) throw new Error('say what to compare with: --base <git revision or file>');

  const base = await readBase(values.base);
  const revision = await readDocument('openapi.yaml');
  const findings = compareDocuments(base, revision, new Date().toISOString().slice(0, '2026-12-31'.length));
  // styleText leaves the colours away unless standard output is a terminal that wants them.
  const paint = (word: string, level: Level): string => styleText(COLORS[level], word, { stream: process.stdout });
  process.stdout.write(values.json ? `${JSON.stringify(findings, null, 2)}\n` : formatFindings(findings, paint));
  return findings.some(({ level }) => level === 'ERR') ? 1 : 0;
}

process.exitCode = await run().catch((error: unknown) => {
  // Whatever went wrong, exit code 1 would say that the contract is broken.
  console.error(`contract:diff: ${error instanceof Error ? error.message : String(error)}`);
  return 2;
});
