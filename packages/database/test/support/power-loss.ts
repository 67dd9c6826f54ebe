import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

// Simulates power losses. strace records the system calls on the files of a folder, and injects failed syncs. The disk
// model follows Linux: a failed sync marks its pages as clean, so they never reach the disk unless they are written
// again. A directory entry is on disk after a sync of its folder.

/** A system call on a file of the folder, or on the folder. */
type Call = {
  /** The time in milliseconds since the epoch. */
  readonly at: number;
  readonly path: string;
} & (
  | { readonly call: 'create' | 'remove' }
  | { readonly call: 'write'; readonly offset: number; readonly bytes: Buffer }
  | { readonly call: 'truncate'; readonly size: number }
  | { readonly call: 'sync'; readonly succeeded: boolean }
);

/** The files after a power loss, by name. */
export type Remains = ReadonlyMap<string, Buffer>;

const PAGE_BYTES = 4_096;
const LONGEST_WRITE_BYTES = 4_194_304;

/** Records the system calls of consecutive processes. */
export class Recorder {
  readonly #folder: string;
  readonly #traces: string[] = [];
  readonly #traceFolder: string;

  constructor(folder: string, traceFolder: string) {
    this.#folder = folder;
    this.#traceFolder = traceFolder;
  }

  /**
   * Returns a command that runs the given command and records its system calls.
   *
   * @param names the files in the folder to record
   * @param failing the syncs that fail, in the syntax of strace's `when`: `3+10` means the third sync of each thread,
   *   and every tenth after it
   */
  record(command: readonly string[], names: readonly string[], failing?: string): readonly string[] {
    const trace = join(this.#traceFolder, `trace-${String(this.#traces.length)}`);
    this.#traces.push(trace);
    return [
      ...['strace', '-D', '-f', '-y', '-ttt', '-xx', '-s', String(LONGEST_WRITE_BYTES), '--seccomp-bpf', '-o', trace],
      ...['-e', 'trace=openat,pwrite64,ftruncate,fsync,fdatasync,unlink'],
      ...[this.#folder, ...names.map((name) => join(this.#folder, name))].flatMap((path) => ['-P', path]),
      ...(failing === undefined ? [] : ['-e', `inject=fsync,fdatasync:error=EIO:when=${failing}`]),
      ...command,
    ];
  }

  /** Returns the calls of all processes, after they have ended. */
  async calls(): Promise<readonly Call[]> {
    const calls: Call[] = [];
    for (const trace of this.#traces) {
      while (!isComplete(trace)) await sleep(10);
      for await (const call of readCalls(trace)) calls.push(call);
      rmSync(trace);
    }
    return calls;
  }
}

/** Whether a trace contains the exit of its process, which strace writes some time after the exit. */
function isComplete(trace: string): boolean {
  if (!existsSync(trace)) return false;
  const end = Buffer.alloc(100);
  const descriptor = openSync(trace, 'r');
  const length = readSync(descriptor, end, 0, end.length, Math.max(0, statSync(trace).size - end.length));
  closeSync(descriptor);
  return /\+\+\+ \S+ (?:by|with) \S+ .*\n$/.test(end.toString('latin1', 0, length));
}

async function* readCalls(trace: string): AsyncGenerator<Call> {
  const unfinished = new Map<string, string>();
  for await (const line of createInterface({ input: createReadStream(trace, 'latin1') })) {
    const { pid = '', rest = '' } = /^(?<pid>\d+) +(?<rest>.*)$/.exec(line)?.groups ?? {};
    if (rest.endsWith(' <unfinished ...>')) {
      unfinished.set(pid, rest.slice(0, -' <unfinished ...>'.length));
      continue;
    }
    const resumed = /<\.\.\. \w+ resumed>(.*)$/.exec(rest)?.[1];
    const whole = resumed === undefined ? rest : `${unfinished.get(pid) ?? ''}${resumed}`;
    const {
      at,
      name,
      args = '',
      result,
    } = /^(?<at>[\d.]+) (?<name>\w+)\((?<args>.*)\) += (?<result>-?\d+)/.exec(whole)?.groups ?? {};
    const texts = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => unhex(hex));
    const opened = unhex(/^\d+<([^>]*)>/.exec(args)?.[1] ?? '').toString();
    const when = { at: Number(at) * 1_000 };
    if (name === 'fsync' || name === 'fdatasync') {
      yield { ...when, call: 'sync', path: opened, succeeded: result === '0' };
      continue;
    }
    if (result === undefined || result.startsWith('-')) continue;
    const [text = Buffer.alloc(0)] = texts;
    if (name === 'openat' && args.includes('O_CREAT')) yield { ...when, call: 'create', path: text.toString() };
    if (name === 'unlink') yield { ...when, call: 'remove', path: text.toString() };
    const last = Number(/(\d+)$/.exec(args)?.[1]);
    if (name === 'pwrite64')
      yield { ...when, call: 'write', path: opened, offset: last, bytes: text.subarray(0, Number(result)) };
    if (name === 'ftruncate') yield { ...when, call: 'truncate', path: opened, size: last };
  }
}

function unhex(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex');
}

/** The content of a file. */
class Content {
  #bytes = Buffer.alloc(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  write(offset: number, bytes: Buffer): void {
    const end = offset + bytes.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(2 * end);
      this.bytes().copy(larger);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, offset);
    this.#size = Math.max(this.#size, end);
  }

  truncate(size: number): void {
    if (size > this.#size) this.write(size, Buffer.alloc(0));
    this.#bytes.fill(0, size);
    this.#size = size;
  }

  bytes(start = 0, end = this.#size): Buffer {
    return this.#bytes.subarray(start, Math.min(end, this.#size));
  }
}

/** A file in memory and on disk. */
class ModelFile {
  readonly #memory = new Content();
  readonly #disk = new Content();
  /** The pages that are not on disk yet. */
  readonly #dirty = new Set<number>();

  write(offset: number, bytes: Buffer): void {
    this.#memory.write(offset, bytes);
    const last = pageOf(offset + bytes.length - 1);
    for (let page = pageOf(offset); page <= last; page += 1) this.#dirty.add(page);
  }

  truncate(size: number): void {
    this.#memory.truncate(size);
  }

  sync(succeeded: boolean): void {
    if (succeeded) {
      for (const page of this.#dirty) this.#writePage(page, this.#disk);
      this.#disk.truncate(this.#memory.size);
    }
    this.#dirty.clear();
  }

  /** Returns the file on disk after some dirty pages were written. */
  written(isWritten: (page: number) => boolean): Buffer {
    const file = new Content();
    file.write(0, this.#disk.bytes());
    for (const page of this.#dirty) if (isWritten(page)) this.#writePage(page, file);
    return file.bytes();
  }

  #writePage(page: number, to: Content): void {
    const start = page * PAGE_BYTES;
    if (start < this.#memory.size) to.write(start, this.#memory.bytes(start, start + PAGE_BYTES));
  }
}

function pageOf(offset: number): number {
  return Math.floor(offset / PAGE_BYTES);
}

/** A folder in memory and on disk, to which calls are applied. */
export class ModelFolder {
  readonly #path: string;
  #memory = new Map<string, ModelFile>();
  #disk = new Map<string, ModelFile>();

  constructor(path: string) {
    this.#path = path;
  }

  apply(call: Call): void {
    if (call.path === this.#path) {
      if (call.call === 'sync' && call.succeeded) this.#disk = new Map(this.#memory);
      return;
    }
    if (dirname(call.path) !== this.#path) return;
    const name = basename(call.path);
    const file = this.#memory.get(name);
    if (call.call === 'create' && file === undefined) this.#memory.set(name, new ModelFile());
    if (call.call === 'remove') this.#memory.delete(name);
    if (call.call === 'write') file?.write(call.offset, call.bytes);
    if (call.call === 'truncate') file?.truncate(call.size);
    if (call.call === 'sync') file?.sync(call.succeeded);
  }

  /**
   * Returns the files after a power loss.
   *
   * @param isWritten returns whether a page that was not synced reached the disk
   */
  losePower(isWritten: (page: number) => boolean): Remains {
    return new Map([...this.#disk].map(([name, file]) => [name, file.written(isWritten)]));
  }
}

/** Writes the files that remain after a power loss to a new folder. */
export function writeRemains(remains: Remains, folder: string): void {
  mkdirSync(folder);
  for (const [name, bytes] of remains) writeFileSync(join(folder, name), bytes);
}
