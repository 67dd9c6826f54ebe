import {
  ALLOW_REFS_OPTION,
  type CommandDeclaration,
  createOptionReader,
  defineCommand,
  QUIET,
  readRefs,
} from '@contract-first/command-line/options';
import { refuse, reportBugs } from '@contract-first/command-line/terminal';
import { initialize } from './initialize.ts';

const INIT: CommandDeclaration = {
  name: 'init',
  description:
    'Writes a project for an OpenAPI document: handlers, a store, tests and a CI workflow. In the folder of an npm project, it adds missing files, and overwrites nothing.',
  arguments: [{ name: 'DOCUMENT', isRequired: true }, { name: 'FOLDER' }],
  options: [
    {
      name: 'name',
      kind: 'text',
      value: 'NAME',
      text: 'the name of the service (default: from the title of the document)',
    },
    { name: 'no-database', kind: 'flag', text: 'leave out the store' },
    ALLOW_REFS_OPTION,
    { ...QUIET, text: 'print errors only' },
  ],
  examples: [
    ['contract-first init openapi.yaml', 'Write a project to a folder with the name of the service'],
    ['contract-first init openapi.yaml . --no-database', 'Add a service without a database to this folder'],
  ],
};

/** Creates a project for a document. The environment has npm's variables. */
export const initCommand = defineCommand(INIT, async ({ options, values: [document = '', folder] }, environment) => {
  reportBugs();
  const problems: string[] = [];
  const reader = createOptionReader(options, {}, problems);
  const { textOf, has } = reader;
  const allowed = readRefs(reader);
  if (folder === '') problems.push('the folder has no name');
  if (problems.length > 0) refuse(...problems);
  const isQuiet = has('quiet');
  await initialize(
    { document, folder, name: textOf('name'), hasDatabase: !has('no-database'), allowed, isQuiet },
    environment,
  );
  return 0;
});
