import {
  ALLOW_REFS_OPTION,
  type CommandDeclaration,
  createOptionReader,
  defineCommand,
  type OptionDeclaration,
  QUIET,
  readOptionsFile,
  readRefs,
} from '@contract-first/command-line/options';
import { print, refuse, reportBugs } from '@contract-first/command-line/terminal';
import { generate, printGenerated } from './generate.ts';

const JSON_OPTION: OptionDeclaration = { name: 'json', kind: 'flag', text: 'print the result as JSON' };

const GENERATE: CommandDeclaration = {
  name: 'generate',
  description:
    'Writes generated/ from an OpenAPI document, by default openapi.yaml: types, and the contract of the engine.',
  arguments: [{ name: 'document' }],
  options: [
    { name: 'check', kind: 'flag', text: 'only list stale files; exit 1 if there are any' },
    { name: 'scaffold', kind: 'flag', text: 'also add the missing handlers and failure bodies to the application' },
    { name: 'strict', kind: 'flag', text: 'reject a document with warnings' },
    ALLOW_REFS_OPTION,
    JSON_OPTION,
    { ...QUIET, text: 'print errors and warnings only' },
  ],
  examples: [
    ['contract-first generate', 'Write generated/'],
    ['contract-first generate pet.yaml --scaffold', 'Use another document, and add missing handlers'],
    ['contract-first generate --check', 'Verify in CI that generated/ is up to date'],
  ],
  section: 'generate',
};

/** Runs the generator. The exit code is 1 for stale files, and 2 if the document is rejected. */
export const generateCommand = defineCommand(GENERATE, async ({ options, values: [document] }) => {
  reportBugs();
  const problems: string[] = [];
  const reader = createOptionReader(
    new Map([...readOptionsFile(undefined, GENERATE, problems), ...options]),
    {},
    problems,
  );
  const allowed = readRefs(reader);
  if (problems.length > 0) refuse(...problems);
  const { has } = reader;
  const flags = { check: has('check'), scaffold: has('scaffold'), strict: has('strict') };
  const generated = await generate({ document, ...flags, allowed });
  if (!has('json')) return printGenerated(has('quiet') ? { ...generated, notes: [] } : generated);
  const { isCurrent, problems: found, notes, files } = generated;
  print(JSON.stringify({ isCurrent, problems: found, notes, files: Object.keys(files ?? {}) }, null, 2));
  return printGenerated({ ...generated, problems: [], notes: [] });
});
