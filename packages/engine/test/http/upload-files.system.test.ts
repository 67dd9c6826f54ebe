import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { userInfo } from 'node:os';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { openRawConnection } from '@contract-first/testing/connection.ts';
import { APPLICATIONS, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';

const MIB = 1_048_576;
const KEY = { 'X-Api-Key': 'test-token' };

/** Starts the application `files` in a separate process. */
function startFiles(temporary: string, command?: readonly string[]): Promise<ServiceProcess> {
  return startServiceProcess({ TMPDIR: temporary }, command, join(APPLICATIONS, 'files'));
}

/** Uploads an archive as the whole body or in a form. */
function send({ url }: ServiceProcess, bytes: Buffer<ArrayBuffer>, isForm = false): Promise<Response> {
  if (!isForm) {
    const headers = { ...KEY, 'Content-Type': 'application/zip' };
    return fetch(`${url}/archives`, { method: 'POST', headers, body: bytes });
  }
  const body = new FormData();
  body.append('note', 'x');
  body.append('archive', new Blob([bytes]), 'a.zip');
  return fetch(`${url}/archives`, { method: 'POST', headers: KEY, body });
}

/** Sends the beginning of an upload, and waits until the service has stored it in a file. */
async function beginUpload(service: ServiceProcess, temporary: string) {
  const connection = await openRawConnection(service.url);
  connection.write(
    'POST /archives HTTP/1.1\r\nHost: x\r\nX-Api-Key: test-token\r\nContent-Type: application/zip\r\nContent-Length: 9000000\r\n\r\n',
  );
  connection.write(Buffer.alloc(MIB));
  await until(() => openUploads(service, temporary).length, 1);
  return connection;
}

/** Returns the unnamed files in a folder that a service has open. */
function openUploads({ process: { pid } }: ServiceProcess, temporary: string): readonly string[] {
  const folder = `/proc/${String(pid)}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      const path = readlinkSync(join(folder, name));
      return path.startsWith(`${temporary}/`) && path.endsWith(' (deleted)') ? path : [];
    } catch {
      return []; // The file was closed meanwhile.
    }
  });
}

/** Returns the peak memory of a service. */
function peakMemoryBytes({ process: { pid } }: ServiceProcess): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1_024;
}

test('the memory of the service does not grow with an upload, and every byte arrives', async () => {
  const temporary = temporaryFolder();
  const service = await startFiles(temporary);
  const bytes = Buffer.alloc(192 * MIB, 'every byte\r\n--');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await send(service, bytes.subarray(0, 32 * MIB), true); // Warms up: allocates the memory that any request takes.
  const before = peakMemoryBytes(service);
  for (const isForm of [false, true]) {
    const response = await send(service, bytes, isForm);
    expect(await response.json()).toEqual({ size: bytes.length, sha256 });
  }
  expect(peakMemoryBytes(service) - before).toBeLessThan(96 * MIB);
  await until(() => openUploads(service, temporary).length, 0);
});

test('no file is left when a client disconnects or the service is killed', async () => {
  const temporary = temporaryFolder();
  const service = await startFiles(temporary);
  const connection = await beginUpload(service, temporary);
  expect(readdirSync(temporary)).toEqual([]);
  connection.reset();
  await until(() => openUploads(service, temporary).length, 0);
  await beginUpload(service, temporary);
  service.process.kill('SIGKILL');
  await service.outcome;
  expect(readdirSync(temporary)).toEqual([]);
});

test('a file system without O_TMPFILE is supported, and no file is left when a client disconnects', async () => {
  const temporary = temporaryFolder();
  const inject = ['-D', '-qqq', '-f', '-o', '/dev/null', '-P', temporary, '-e', 'inject=openat:error=EOPNOTSUPP'];
  const service = await startFiles(temporary, ['strace', ...inject, 'node', 'src/main.ts']);
  const response = await send(service, Buffer.alloc(MIB, 'a'));
  expect(await response.json()).toMatchObject({ size: MIB });
  expect(readdirSync(temporary)).toEqual([]);
});

test('the next start removes files of a killed process, but not files of other programs', async () => {
  const temporary = temporaryFolder();
  const names = [`upload-1-${randomUUID()}`, 'upload-1', `upload-${randomUUID()}`];
  for (const name of names) writeFileSync(join(temporary, name), 'x');
  await startFiles(temporary);
  await until(() => readdirSync(temporary).sort().join(), names.slice(1).sort().join());
});

test('without a temporary folder, small uploads are handled, and larger uploads get 503', async () => {
  const service = await startFiles(join(temporaryFolder(), 'missing'));
  for (const isForm of [false, true]) {
    expect((await send(service, Buffer.alloc(200_000), isForm)).status).toBe(200);
    const response = await send(service, Buffer.alloc(MIB), isForm);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.text()).not.toContain('missing');
  }
  await service.waitForOutput('a request body cannot be stored in');
});

test('on a full disk, an upload gets 503 and is removed, and a smaller upload is handled', async () => {
  const temporary = temporaryFolder();
  const becomeRoot = userInfo().uid === 0 ? [] : ['--user', '--map-root-user'];
  const script = `mount -t tmpfs -o size=1024k tmpfs ${temporary} && exec node src/main.ts`;
  const service = await startFiles(temporary, ['unshare', ...becomeRoot, '--mount', 'sh', '-c', script]);
  for (const isForm of [false, true]) {
    expect((await send(service, Buffer.alloc(4 * MIB), isForm)).status).toBe(503);
    await until(() => openUploads(service, temporary).length, 0);
    expect((await send(service, Buffer.alloc(900_000), isForm)).status).toBe(200);
  }
  await service.waitForOutput('ENOSPC');
});
