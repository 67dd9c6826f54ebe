import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openTestStore } from '@contract-first/testing/app.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runProcess, startServiceProcess } from '@contract-first/testing/service.ts';

// A power loss discards everything that is not synced, including directory entries. strace records syncs and injects
// failures.

/**
 * Locations of a database in a folder: the description, and a function that returns its folders, the innermost first.
 */
const PLACES: readonly [string, (folder: string) => readonly string[]][] = [
  ['in new folders', (folder) => [join(folder, 'new', 'inner'), join(folder, 'new'), folder]],
  [
    'in a folder that another process has created and may not have synced',
    (folder) => {
      mkdirSync(join(folder, 'made'));
      return [join(folder, 'made'), folder];
    },
  ],
];

const straced = (options: readonly string[], ...command: readonly string[]) => [
  ...['strace', '-D', '-f', '-y', '-s', '300', '-e', 'trace=openat,?link,?linkat,fsync,write', ...options],
  ...command,
];
const failing = (folder: string): readonly string[] => [
  '-o',
  '/dev/null',
  '-P',
  folder,
  '-e',
  'inject=fsync:error=EIO',
];

/** Returns the index of the last sync of a folder in a trace, before the line that contains a text. */
function lastSyncBefore(trace: readonly string[], folder: string, text: string): number {
  const end = trace.findIndex((line) => line.includes(text));
  expect(end).toBeGreaterThan(-1);
  return trace.findLastIndex((line, index) => index < end && line.includes('fsync(') && line.includes(`<${folder}>`));
}

const readTrace = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n');

describe.each(PLACES)('a database %s', (_place, makeFolders) => {
  test('the folder is synced after the log was created, and its parents are synced, before the service listens', async () => {
    const [innermost = '', ...above] = makeFolders(realpathSync(temporaryFolder()));
    const file = join(temporaryFolder(), 'trace');
    const command = straced(['-o', file], 'node', 'src/main.ts');
    await startServiceProcess({ DATABASE_URL: `sqlite:${join(innermost, 'guests.db')}` }, command);
    const trace = readTrace(file);
    const created = trace.findIndex((line) => line.includes('guests.db-wal"') && line.includes('O_CREAT'));
    expect(created).toBeGreaterThan(-1);
    for (const folder of [innermost, ...above]) {
      expect(lastSyncBefore(trace, folder, 'http://')).toBeGreaterThan(created);
    }
  });

  test('a folder that cannot be synced prevents the start, with one line', async () => {
    const folders = makeFolders(realpathSync(temporaryFolder()));
    for (const folder of folders) {
      const [command = '', ...args] = straced(failing(folder), 'node', 'src/main.ts');
      const env = { PORT: '0', DATABASE_URL: `sqlite:${join(folders[0] ?? '', 'guests.db')}` };
      expect(await runProcess(command, args, env)).toEqual({ code: 1, stdout: '', stderr: lineOn(folder) });
    }
  });
});

test("for a symbolic link to a database, the target file's folder is synced", async () => {
  const folder = realpathSync(temporaryFolder());
  const link = join(temporaryFolder(), 'guests.db');
  symlinkSync(join(folder, 'guests.db'), link);
  const [command = '', ...args] = straced(failing(folder), 'node', 'src/main.ts');
  const outcome = await runProcess(command, args, { PORT: '0', DATABASE_URL: `sqlite:${link}` });
  expect(outcome).toEqual({ code: 1, stdout: '', stderr: lineOn(folder) });
});

const makeBackup = async () => {
  const { url } = await openTestStore();
  const folder = realpathSync(temporaryFolder());
  return { folder, file: join(folder, 'new', 'backup.db'), env: { DATABASE_URL: url } };
};

test('a backup in new folders: the folder is synced after the file was created, and its parents are synced, before success is reported', async () => {
  const { folder, file, env } = await makeBackup();
  const traceFile = join(temporaryFolder(), 'trace');
  const [command = '', ...args] = straced(['-o', traceFile], 'node', 'scripts/backup.ts', file);
  expect(await runProcess(command, args, env)).toMatchObject({ code: 0, stderr: '' });
  const trace = readTrace(traceFile);
  const linked = trace.findIndex((line) => / link(?:at)?\(/.test(line) && line.includes(`"${file}"`));
  expect(linked).toBeGreaterThan(-1);
  for (const synced of [dirname(file), folder]) {
    expect(lastSyncBefore(trace, synced, 'holds 0 guests')).toBeGreaterThan(linked);
  }
});

test('a backup in new folders: a folder that cannot be synced fails the backup, with one line', async () => {
  const { folder, file, env } = await makeBackup();
  for (const broken of [dirname(file), folder]) {
    const [command = '', ...args] = straced(failing(broken), 'node', 'scripts/backup.ts', file);
    expect(await runProcess(command, args, env)).toEqual({ code: 1, stdout: '', stderr: lineOn(broken) });
    expect(readdirSync(dirname(file))).toEqual([]);
  }
});

function lineOn(folder: string): string {
  const advice = 'is its disk sound, and can this user read it?';
  return `the folder ${folder} cannot be synced (EIO), so a power loss could remove the database: ${advice}\n`;
}
