import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { readTokenEntry } from './token-entry.ts';
import type { HashedToken } from './tokens.ts';

/** The tokens of a file and the version of the file. */
export type TokensFile = { readonly path: string; readonly tokens: readonly HashedToken[]; readonly version: string };

type Contents =
  | { readonly version: string; readonly tokens: readonly HashedToken[] }
  | { readonly version: string; readonly problems: readonly string[] };

const POLL_MS = 1_000;
const READ_TIMEOUT_MS = 5_000;
const TIMED_OUT: Contents = {
  version: 'ETIMEDOUT',
  problems: ['API_TOKENS_FILE: reading the file takes more than 5 seconds; check that its file server responds'],
};

/**
 * Reads a file with one token per line. Ignores blank lines and lines that start with `#`. The last line must end with
 * a newline: without it, the file may be incomplete and its last token truncated.
 *
 * @returns the tokens, or every problem with the file; problems never quote its contents
 */
export async function readTokensFile(path: string): Promise<TokensFile | { readonly problems: readonly string[] }> {
  const contents = await createReader(path)();
  return 'problems' in contents ? contents : { path, ...contents };
}

/**
 * Reads the file every second and reports its tokens when they have changed. A change must be read twice in a row,
 * since a file that is being written may end after any line. While the file is missing or invalid, the previous tokens
 * stay in use, and the reason is logged once.
 *
 * The file is polled, not watched: a mounted secret changes through a symbolic link to a parent folder, which file
 * watchers miss, and the new version may have the same timestamp.
 *
 * @param stopping ends the polling
 */
export async function watchTokensFile(
  { path, version: firstVersion }: TokensFile,
  onChange: (tokens: readonly HashedToken[]) => void,
  log: Logger,
  stopping: AbortSignal,
): Promise<void> {
  const read = createReader(path);
  let reported = firstVersion;
  let latest = firstVersion;
  while (!stopping.aborted) {
    await sleep(POLL_MS, undefined, { ref: false });
    const contents = await read();
    const isSettled = contents.version === latest;
    latest = contents.version;
    if (!isSettled || latest === reported) continue;
    reported = latest;
    if ('problems' in contents) {
      log.error({ problems: contents.problems }, 'the tokens file cannot be used; keeping the previous tokens');
    } else {
      onChange(contents.tokens);
      log.info({ tokens: contents.tokens.length }, 'reloaded the tokens file');
    }
  }
}

/**
 * Creates a reader with at most one read pending: with an unreachable file server, a read may block its thread forever.
 */
function createReader(path: string): () => Promise<Contents> {
  let pending: Promise<Contents> | undefined;
  return () => {
    pending ??= readSmallFile(path)
      .then(parse, toReadProblem)
      .finally(() => (pending = undefined));
    return Promise.race([pending, sleep(READ_TIMEOUT_MS, TIMED_OUT, { ref: false })]);
  };
}

function parse(bytes: Buffer): Contents {
  const version = hash('sha256', bytes);
  const tokens: HashedToken[] = [];
  const problems: string[] = [];
  const lines = bytes.toString().split('\n');
  const afterLastNewline = lines.pop();
  lines.forEach((line, index) => {
    const entry = line.trim();
    if (entry === '' || entry.startsWith('#')) return;
    const lineNumber = String(index + 1);
    const read = readTokenEntry(entry, `API_TOKENS_FILE:${lineNumber}`);
    if ('problem' in read) problems.push(`API_TOKENS_FILE: the token in line ${lineNumber} ${read.problem}`);
    else tokens.push(read);
  });
  if (afterLastNewline !== '') {
    problems.push(
      'API_TOKENS_FILE: the last line must end with a newline, or the file may be incomplete; ' +
        'use kubectl create secret with --from-file, since --from-literal adds no newline',
    );
  }
  if (tokens.length === 0 && problems.length === 0) problems.push('API_TOKENS_FILE: the file contains no token');
  return problems.length > 0 ? { version, problems } : { version, tokens };
}

function toReadProblem(error: unknown): Contents {
  if (error instanceof UnusableFile) return { version: error.message, problems: [`API_TOKENS_FILE: ${error.message}`] };
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return { version: code, problems: [`API_TOKENS_FILE: the file cannot be read (${code})`] };
}

/** The path does not name a regular file, or the file is too large. */
class UnusableFile extends Error {}

// The size limit of a Kubernetes Secret.
const LIMIT_BYTES = 1_048_576;

/**
 * Reads a regular file. Never blocks on a pipe or a device.
 *
 * @throws {UnusableFile} when it is not a regular file, or too large
 */
async function readSmallFile(path: string): Promise<Buffer> {
  // Without O_NONBLOCK, opening a pipe waits for its writer. On Windows, the flag is undefined and has no effect.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile())
      throw new UnusableFile('the path must name a regular file, not a directory, pipe or device');
    const chunks = file.createReadStream({ end: LIMIT_BYTES, autoClose: false }); // The end is inclusive.
    const bytes = Buffer.concat(await Array.fromAsync<Buffer>(chunks));
    if (bytes.length > LIMIT_BYTES)
      throw new UnusableFile(`the file must not be larger than ${String(LIMIT_BYTES)} bytes`);
    return bytes;
  } finally {
    await file.close();
  }
}
