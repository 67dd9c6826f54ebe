import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reportBugs } from '@contract-first/command-line/terminal';
import { commandsOf, readBlocks, type Block, type QuotedCommand } from './blocks.ts';
import { Problem } from './blocks.ts';
import { createProject, type Clone } from './project.ts';
import { complete, firstDifference, matchesQuote } from './quote.ts';
import { inParallel } from '../jobs/in-parallel.ts';

// `npm run quoted-commands -w packages/testing [-- <document>…]` executes the blocks of each document in order, in a fresh
// clone of the last commit. Executes as many documents in parallel as there are cores. Blocks of:
//
// - `console`: runs the commands and compares the quoted output (quote.ts). `npm start [-w <folder>]`, `npm run dev` and
// `npm run mock [-- <document>…]` keep running until the next service or the end of the document. `cd` applies to all
// following
//   blocks.
// - `sh`: runs each line, unless a line of .ci/run starts with it or CI cannot run it.
// - `diff`: applies the diff. A block after the name of a file: writes the file.
// - `ts`: must be part of a source file, with any indentation. `text`: is a figure.
const INSTALL = /^npm ci && /; // Skipped, since the packages of the clone are installed.
const SERVICE = /^(?:\w+=\S+ )*npm (?:start(?: -w [\w/-]+)?|run (?:dev|mock(?: --(?: [\w/][\w./=-]*)+)?))$/;
// The commands of `sh` blocks that are skipped.
const ELSEWHERE = {
  podman: 'needs another machine',
  'npm run bench -w packages/engine': 'takes ten minutes; bench.system.test.ts runs it for seconds',
};
// The longest documents are started first, to use all cores until the end.
const FIRST = ['docs/guide/your-service.md', 'docs/guide/tutorial.md'];
const QUOTED_FAILURE = /^(?:FAIL| *ERR|::error)\b|error TS/m;

// Fails here, rather than in a child process, if development dependencies are missing.
import.meta.resolve('typescript');
reportBugs();
const ci = readFileSync('.ci/run', 'utf8').split('\n');
const inDocs = execFileSync('git', ['ls-files', 'docs/*.md'], { encoding: 'utf8' }).trimEnd().split('\n');
const named = process.argv.slice(2);
const documents =
  named.length > 0 ? named : ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'examples/README.md', ...inDocs];
// Each document has a separate project and separate ports.
await inParallel(
  documents.toSorted((one, other) => FIRST.indexOf(other) - FIRST.indexOf(one)),
  execute,
);

async function execute(document: string): Promise<void> {
  let project: Clone | undefined;
  const clone = (): Clone => (project ??= createProject());
  try {
    for (const block of readBlocks(readFileSync(document, 'utf8'))) {
      try {
        await executeBlock(clone, block, document);
      } catch (error) {
        throw error instanceof Problem ? error : new Problem(block.line, String(error));
      }
    }
    await project?.stopService();
  } catch (error) {
    const place = error instanceof Problem ? `${document}:${String(error.line)}` : document;
    console.error(`${place}: ${(error as Error).message}`); // Only errors are thrown.
    process.exitCode = 1;
  } finally {
    await project?.remove();
  }
}

/** @param clone returns the clone for the document, created on demand */
async function executeBlock(clone: () => Clone, block: Block, document: string): Promise<void> {
  const { language, file, text } = block;
  if (language === 'console' || language === 'sh') {
    for (const command of commandsOf(block)) {
      const reason = language === 'sh' ? reasonNotToRun(command.text) : undefined;
      const note = reason === undefined ? '' : `   (not run: ${reason})`;
      console.log(`${document}:${String(command.line)} $ ${command.text}${note}`);
      if (reason === undefined) await run(clone(), command);
    }
  } else if (language === 'diff') {
    execFileSync('git', ['apply'], { cwd: clone().folder, input: text, stdio: 'pipe' });
  } else if (file !== undefined) {
    writeFileSync(join(clone().folder, file), text);
  } else if (language === 'ts' || language === 'yaml') {
    const files = ['src', 'scripts', 'examples'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    );
    const isSource = files.some(
      (name) => name.endsWith(`.${language}`) && flat(readFileSync(name, 'utf8')).includes(flat(text)),
    );
    if (!isSource) throw new Error('no file contains this block');
  } else if (language !== 'text') {
    throw new Error(`a block of ${language} is neither executed nor a figure`);
  }
}

/** Removes the indentation of a text, since Prettier formats an excerpt of a file like a whole file. */
function flat(text: string): string {
  return text.replaceAll(/^ +/gm, '');
}

function reasonNotToRun(command: string): string | undefined {
  const installed = command.replace(INSTALL, '');
  const elsewhere = Object.entries(ELSEWHERE).find(([program]) => command.startsWith(program));
  if (elsewhere !== undefined) return elsewhere[1];
  return ci.some((line) => line.startsWith(installed)) ? 'a step of .ci/run' : undefined;
}

/** Runs a command and compares its output. The command must fail if and only if its quoted output contains an error. */
async function run(project: Clone, { text, line, quoted }: QuotedCommand): Promise<void> {
  const command = complete(text, project.printed()).replace(INSTALL, '');
  const [, folder] = /^cd (\S+)$/.exec(command) ?? [];
  if (folder !== undefined) {
    project.enter(folder);
    return;
  }
  if (SERVICE.test(command)) {
    const output = await project.serve(command, (output) => matchesQuote(quoted ?? [], output, true));
    if (!matchesQuote(quoted ?? [], output, true)) throw differs(output);
    return;
  }
  const { code, output } = await project.run(command);
  if (quoted !== undefined && !matchesQuote(quoted, output)) throw differs(output);
  if ((code === 0) === QUOTED_FAILURE.test((quoted ?? []).join('\n'))) {
    throw new Problem(line, `the exit code is ${String(code)}; printed:\n${output}`);
  }

  function differs(output: string): Problem {
    const index = firstDifference(quoted ?? [], output);
    const expected = quoted?.[index] ?? 'the end of the output';
    return new Problem(
      line + 1 + index,
      `the output of \`${command}\` differs; quoted: ${expected}\nprinted:\n${output}`,
    );
  }
}
