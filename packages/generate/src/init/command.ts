import { parseArgs } from 'node:util';
import { ALLOW_REFS, readAllowedRefs } from '@contract-first/documents';
import { exitWithoutOutput, print, refuse, reportBugs } from '@contract-first/command-line/terminal';
import { initialize, type Environment, type InitOptions } from './initialize.ts';

const USAGE = `contract-first init DOCUMENT [FOLDER] [options]

Writes a project for an OpenAPI document: handlers, a store, tests, and what CI runs. In the folder of an npm project, it adds
what is missing, and overwrites nothing.

  --name NAME         the name of the service (default: from the title of the document)
  --no-database       leave out the store
  --allow-refs KINDS  let the document refer to files outside of its folder, to http URLs, or both: files,http
  --help              print this text`;

/** Creates a project for a document. Returns the exit code. @param environment the environment of npm */
export async function initCommand(args: readonly string[], environment: Environment = process.env): Promise<number> {
  exitWithoutOutput();
  reportBugs();
  const options = readArguments(args);
  if (options === undefined) print(USAGE);
  else await initialize(options, environment);
  return 0;
}

/** Parses the arguments. Returns `undefined` for `--help`. */
function readArguments(args: readonly string[]): InitOptions | undefined {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        'no-database': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        ...ALLOW_REFS,
      },
    });
    if (values.help) return undefined;
    const [document, folder, ...rest] = positionals;
    if (document === undefined || folder === '' || rest.length > 0)
      throw new Error('name one OpenAPI document, and perhaps a folder');
    const allowed = readAllowedRefs(values['allow-refs']);
    return { document, folder, name: values.name, hasDatabase: !values['no-database'], allowed };
  } catch (error) {
    return refuse((error as Error).message, USAGE);
  }
}
