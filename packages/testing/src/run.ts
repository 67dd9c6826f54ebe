import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asServerUser, createFolder, freePort, initialise } from './postgres-programs.ts';
import { becomesReady, optionsOf, serverAt } from './postgres-server.ts';

// A script that ends the server at the end of standard input, which also occurs if the parent is killed.
const UNTIL_PARENT_ENDS = '"$@" & read -r line; kill -QUIT $!; wait';

/** Jest's globalSetup: creates the folder, the compile cache and the PostgreSQL server shared by the test files. */
export default async function setUp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-run-'));
  chmodSync(folder, 0o755); // Readable for the user of the PostgreSQL servers.
  process.env['TEST_RUN_FOLDER'] = folder;
  // The compile cache halves the CPU time of a start, and threads need not load the type stripper. It is temporary,
  // since each copy of a project adds entries.
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  await startSharedPostgres(join(folder, 'postgres'));
}

async function startSharedPostgres(folder: string): Promise<void> {
  renameSync(createFolder(), folder);
  const pristine = join(folder, 'data'); // Copied for servers of single tests.
  initialise(folder, pristine);
  const dataFolder = join(folder, 'shared');
  execFileSync('cp', ['-a', pristine, dataFolder]);
  const port = await freePort();
  const server = serverAt(port);
  const command = [join(folder, 'native/bin/postgres'), '-D', dataFolder, ...optionsOf(port)];
  const logFile = join(folder, 'log');
  const shell = spawn('sh', ['-c', UNTIL_PARENT_ENDS, 'sh', ...command], {
    ...asServerUser(folder),
    stdio: ['pipe', 'ignore', openSync(logFile, 'w')],
  });
  shell.unref();
  if (!(await becomesReady(server, shell)))
    throw new Error(`PostgreSQL does not start:\n${readFileSync(logFile, 'utf8')}`);
  await server.query(server.url(), "CREATE ROLE clerk LOGIN PASSWORD 'x'; CREATE ROLE mallory; CREATE ROLE gardeners");
  process.env['TEST_POSTGRES_PORT'] = String(port);
}
