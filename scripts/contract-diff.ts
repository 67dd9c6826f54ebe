import { diffCommand } from './commands/diff.ts';
import { exitWithoutOutput } from './terminal/command.ts';

exitWithoutOutput(2);
process.exitCode = await diffCommand(process.argv.slice(2));
