import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';

// The modules of the commands are imported after the version check, since older versions cannot load them.
const [MAJOR, MINOR] = [22, 18];

/**
 * Runs a command with the process arguments and sets the exit code.
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
  // Node's compile cache shortens the start by a third. Its folder is inside the installed packages, since Node would
  // execute compiled code from a folder in an untrusted repository. Node ignores a folder that is not writable.
  const { resolve } = createRequire(import.meta.url);
  // Deno has no compile cache.
  module.enableCompileCache?.(join(dirname(resolve('yaml/package.json')), '../.cache/node'));
  const [command, { reportRefusal }] = await Promise.all([load(), import('@contract-first/command-line/terminal')]);
  // Exits explicitly, since a failed command may have open handles.
  const code = await command(process.argv.slice(2)).catch((error) => process.exit(reportRefusal(error)));
  if (code !== undefined) process.exitCode = code;
}
