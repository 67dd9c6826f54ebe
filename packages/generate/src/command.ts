import { parseArgs } from 'node:util';
import { ALLOW_REFS, readAllowedRefs } from '@contract-first/documents';
import { exitWithoutOutput, print, refuse, reportBugs } from '@contract-first/command-line/terminal';
import { generate, printGenerated } from './generate.ts';

const USAGE = `contract-first generate [options]

Writes generated/ from openapi.yaml.

  --check             only list stale files; exit 1 if there are any
  --scaffold          also add the missing handlers and failure bodies to the application
  --allow-refs KINDS  let the document refer to files outside of its folder, to http URLs, or both: files,http
  --help              print this text`;

/** Runs the generator with command-line options. Returns the exit code. */
export async function generateCommand(args: readonly string[]): Promise<number> {
  exitWithoutOutput();
  reportBugs();
  const { values, allowed } = readArguments(args);
  if (values.help) {
    print(USAGE);
    return 0;
  }
  return printGenerated(await generate({ ...values, allowed }));
}

function readArguments(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        check: { type: 'boolean', default: false },
        scaffold: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        ...ALLOW_REFS,
      },
    });
    return { values, allowed: readAllowedRefs(values['allow-refs']) };
  } catch (error) {
    return refuse((error as Error).message, USAGE);
  }
}
