import { accessSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryDatabase, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { runProcess, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';

/** Returns the status of a creation with a token. */
async function statusOf({ url }: ServiceProcess, token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return (await fetch(`${url}/guests`, { method: 'POST', headers, body: '{"id":1,"name":"Anna"}' })).status;
}

/** Creates a tokens file that can be replaced atomically. */
function createTokensFile(text: string) {
  const path = join(temporaryFolder(), 'tokens');
  writeFileSync(path, text);
  return {
    path,
    replace: (text: string) => {
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    },
    link: (target: string) => {
      symlinkSync(target, `${path}.new`);
      renameSync(`${path}.new`, path);
    },
  };
}

const problemsIn = (service: ServiceProcess) => service.output().match(/cannot be used; keeping the previous tokens/g);

test('the tokens file is reloaded when it is replaced; with an invalid or missing file, the tokens stay in use, and the reason is logged once', async () => {
  const { path, replace } = createTokensFile('a:a-token-1\n');
  const service = await startServiceProcess({ API_TOKENS: 'fixed-token', API_TOKENS_FILE: path });
  expect(await statusOf(service, 'a-token-1')).toBe(200);
  expect(await statusOf(service, 'b-token-1')).toBe(401);

  replace('b:b-token-1\n');
  await until(() => statusOf(service, 'b-token-1'), 200);
  expect(await statusOf(service, 'a-token-1')).toBe(401);
  expect(await statusOf(service, 'fixed-token')).toBe(200);

  replace('c:c-token-1\nd:a broken secret\n');
  await service.waitForOutput('the token in line 2 contains a character');
  expect(await statusOf(service, 'c-token-1')).toBe(401);
  replace('# nothing\n');
  await service.waitForOutput('the file contains no token');
  rmSync(path);
  await service.waitForOutput('the file cannot be read (ENOENT)');
  await runProcess('mkfifo', [path]);
  await service.waitForOutput('must name a regular file');
  expect(await statusOf(service, 'b-token-1')).toBe(200);

  rmSync(path);
  writeFileSync(path, 'e-token-1\n');
  await until(() => statusOf(service, 'e-token-1'), 200);
  await sleep(2_500);
  expect(problemsIn(service)).toHaveLength(4);
  expect(service.output()).not.toMatch(/secret|[a-e]-token-1/);
});

test('the tokens file is reloaded when a symbolic link above it changes, as mounted secrets do', async () => {
  const folder = temporaryFolder();
  for (const version of ['1', '2']) {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, 'tokens'), `a-token-${version}\n`);
  }
  symlinkSync('1', join(folder, '..data'));
  symlinkSync('..data/tokens', join(folder, 'tokens'));
  const service = await startServiceProcess({ API_TOKENS_FILE: join(folder, 'tokens') });
  symlinkSync('2', join(folder, '..data.new'));
  renameSync(join(folder, '..data.new'), join(folder, '..data'));
  await until(() => statusOf(service, 'a-token-2'), 200);
  expect(await statusOf(service, 'a-token-1')).toBe(401);
});

test('a truncated token is never accepted from a tokens file that is written in place', async () => {
  const { path } = createTokensFile('a:alphatoken\n');
  const service = await startServiceProcess({ API_TOKENS_FILE: path });
  writeFileSync(path, 'a:alphatoken\nb:betatoken');
  await service.waitForOutput('the last line must end with a newline');
  expect(await statusOf(service, 'betatoken')).toBe(401);
  writeFileSync(path, '');
  await service.waitForOutput('the file contains no token');
  expect(await statusOf(service, 'betatoken')).toBe(401);
  writeFileSync(path, 'b:b\n');
  await service.waitForOutput('is shorter than 8 characters');
  expect(await statusOf(service, 'alphatoken')).toBe(200);
  writeFileSync(path, 'a:alphatoken\nb:betatoken-complete\n');
  await until(() => statusOf(service, 'betatoken-complete'), 200);
  expect(await statusOf(service, 'betatoken')).toBe(401);
});

test('a tokens file that is briefly truncated after a line during a write removes no token', async () => {
  const { path } = createTokensFile('a:alphatoken\nb:betatoken\n');
  const service = await startServiceProcess({ API_TOKENS_FILE: path });
  // Each truncation is shorter than the second between two reads, so at most one read usually sees it.
  for (let round = 0; round < rounds(2, 5); round += 1) {
    const startedAt = performance.now();
    writeFileSync(path, 'a:alphatoken\n');
    await sleep(600);
    writeFileSync(path, 'a:alphatoken\nb:betatoken\n');
    if (performance.now() - startedAt > 900) {
      await sleep(2_500); // On a busy machine, two reads may have seen the truncation.
      continue;
    }
    const end = performance.now() + 1_500;
    while (performance.now() < end) {
      expect(await statusOf(service, 'betatoken')).toBe(200);
      await sleep(50);
    }
  }
  writeFileSync(path, 'a:alphatoken\n');
  await until(() => statusOf(service, 'betatoken'), 401);
});

test.each(['/dev/zero', '/', 'a pipe'])('the tokens file %s prevents the start', async (name) => {
  const path = name === 'a pipe' ? join(temporaryFolder(), 'pipe') : name;
  if (name === 'a pipe') await runProcess('mkfifo', [path]);
  expect(
    await runProcess('node', ['src/main.ts'], { API_TOKENS_FILE: path, DATABASE_URL: temporaryDatabase() }),
  ).toEqual({
    code: 1,
    stdout: '',
    stderr: 'API_TOKENS_FILE: the path must name a regular file, not a directory, pipe or device\n',
  });
});

// A FUSE file system without a responding daemon: each read blocks, as when an NFS server is gone.
(canMountFuse() ? describe : describe.skip)('a tokens file on a file server that does not respond', () => {
  const PROBLEM = 'API_TOKENS_FILE: reading the file takes more than 5 seconds; check that its file server responds';

  /** Returns the command that starts the service with an unresponsive file system mounted at a path. */
  function withDeadServer(folder: string): readonly string[] {
    const becomeRoot = userInfo().uid === 0 ? [] : ['--user', '--map-root-user'];
    const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
    const script = `exec 3<>/dev/fuse 4<&0 && mount -i -t fuse -o ${options} dead ${folder} || exit
      cat <&4 >/dev/null 2>&1 &
      exec node src/main.ts 3<&- 4<&-`;
    return ['unshare', ...becomeRoot, '--mount', 'sh', '-c', script];
  }

  test('prevents the start', async () => {
    const folder = temporaryFolder();
    const [command = '', ...args] = withDeadServer(folder);
    const env = { API_TOKENS_FILE: join(folder, 'tokens'), DATABASE_URL: temporaryDatabase() };
    expect(await runProcess(command, args, env)).toEqual({ code: 1, stdout: '', stderr: `${PROBLEM}\n` });
  });

  test('keeps the tokens, is logged once, and is reloaded when the server responds', async () => {
    const folder = temporaryFolder();
    const { path, link, replace } = createTokensFile('a:alphatoken\n');
    const service = await startServiceProcess({ API_TOKENS_FILE: path }, withDeadServer(folder));
    link(join(folder, 'tokens'));
    await service.waitForOutput(PROBLEM);
    expect(await statusOf(service, 'alphatoken')).toBe(200);
    replace('b:betatoken\n');
    service.process.stdin.end();
    await until(() => statusOf(service, 'betatoken'), 200);
    expect(problemsIn(service)).toHaveLength(1);
  });

  test('does not delay the exit of the service', async () => {
    const folder = temporaryFolder();
    const { path, link } = createTokensFile('a:alphatoken\n');
    const service = await startServiceProcess({ API_TOKENS_FILE: path }, withDeadServer(folder));
    link(join(folder, 'tokens'));
    await service.waitForOutput('cannot be used');
    service.process.kill('SIGTERM');
    expect(await service.outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('"stopped"'), stderr: '' });
  });
});

function canMountFuse(): boolean {
  try {
    accessSync('/dev/fuse');
    return true;
  } catch {
    return false;
  }
}
