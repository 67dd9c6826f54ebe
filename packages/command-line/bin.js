import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';

// Older versions cannot load the modules of the commands, so these are imported after the check.
const [MAJOR, MINOR] = [22, 18];

/**
 * Runs a command with the arguments of the process, and sets the exit code.
 *
 * @param load imports the command
 */
export async function runBin(load) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < MAJOR || (major === MAJOR && minor < MINOR)) {
    process.stderr.write(`Node.js ${MAJOR}.${MINOR} or later is required, this is ${process.version}\n`);
    process.exitCode = 2;
    return;
  }
  // Node's compile cache cuts the start by a third. Its folder belongs to the installed packages: Node would run compiled code
  // that a checked repository brings. Node ignores a folder that it cannot write.
  const { resolve } = createRequire(import.meta.url);
  module.enableCompileCache(join(dirname(resolve('yaml/package.json')), '../.cache/node'));
  const [command, { reportRefusal }] = await Promise.all([load(), import('@contract-first/command-line/terminal')]);
  // A command that refused may have open handles.
  const code = await command(process.argv.slice(2)).catch((error) => process.exit(reportRefusal(error)));
  if (code !== undefined) process.exitCode = code;
}
