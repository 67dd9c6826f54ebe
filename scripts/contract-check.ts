import { checkCommand } from './commands/check.ts';
import { exitWithoutOutput } from './terminal/command.ts';

exitWithoutOutput(2);
process.exitCode = await checkCommand(process.argv.slice(2), process.env);
