import { parseArgs, styleText } from 'node:util';
import { readBase, readDocument } from './diff/base.ts';
import { compareDocuments } from './diff/documents.ts';
import type { Level } from './diff/finding.ts';
import { formatFindings } from './diff/report.ts';

// `npm run contract:diff -- --base <git revision or file>` lists the changes of openapi.yaml since the base. It exits 0
// when they are compatible, 1 when they break clients, and 2 when the documents cannot be compared.
const COLORS = { ERR: 'red', WARN: 'yellow', INFO: 'dim' } as const;

async function run(): Promise<number> {
  const { values } = parseArgs({ options: { base: { type: 'string' }, json: { type: 'boolean', default: false } } });
  if (values.base === undefined) throw new Error('--base <git revision or file> is required');

  const base = await readBase(values.base);
  const revision = await readDocument('openapi.yaml');
  const findings = compareDocuments(base, revision, new Date().toISOString().slice(0, '2026-12-31'.length));
  // styleText adds colours only when standard output is a terminal that supports them.
  const paint = (word: string, level: Level): string => styleText(COLORS[level], word, { stream: process.stdout });
  process.stdout.write(values.json ? `${JSON.stringify(findings, null, 2)}\n` : formatFindings(findings, paint));
  return findings.some(({ level }) => level === 'ERR') ? 1 : 0;
}

process.exitCode = await run().catch((error: unknown) => {
  // Exit code 1 is reserved for breaking changes.
  console.error(`contract:diff: ${error instanceof Error ? error.message : String(error)}`);
  return 2;
});
