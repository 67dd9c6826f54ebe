import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { NotUsable, readSmallFile } from './small-file.ts';
import { readTokenEntry } from './token-entry.ts';
import type { KnownToken } from './tokens.ts';

/** The tokens of a file when it was read. */
export type TokensFile = { readonly path: string; readonly tokens: readonly KnownToken[]; readonly version: string };

type Contents =
  | { readonly version: string; readonly tokens: readonly KnownToken[] }
  | { readonly version: string; readonly problems: readonly string[] };

const POLL_MS = 1_000;
const READ_TIMEOUT_MS = 5_000;
const TIMED_OUT: Contents = {
  version: 'ETIMEDOUT',
  problems: ['API_TOKENS_FILE: reading the file takes more than 5 seconds; does the server that has it respond?'],
};

/**
 * Reads a file of tokens, one a line; lines that are blank or start with `#` don't count. The last line must end with a
 * newline too: without it, the end of the file may not have been written yet, and the beginning of a token is no token.
 *
 * @returns the tokens, or every problem with the file, none of which repeats a part of it
 */
export async function readTokensFile(path: string): Promise<TokensFile | { readonly problems: readonly string[] }> {
  const contents = await createReader(path)();
  return 'problems' in contents ? contents : { path, ...contents };
}

/**
 * Reads the file every second and reports its tokens when they have changed. A change counts when it is read twice in a
 * row, as a file that is being written may end after any line for a moment. While the file is missing or cannot be used,
 * the previous tokens stay, and the reason is logged once.
 *
 * The file is read, not watched: a mounted secret changes by a symbolic link to a folder above it, which no watcher of the
 * file sees, and the new version may have the time stamp of the previous one.
 */
export async function watchTokensFile(
  { path, version: firstVersion }: TokensFile,
  change: (tokens: readonly KnownToken[]) => void,
  log: Logger,
): Promise<never> {
  const read = createReader(path);
  let reported = firstVersion;
  let latest = firstVersion;
  for (;;) {
    await sleep(POLL_MS, undefined, { ref: false });
    const contents = await read();
    const isSettled = contents.version === latest;
    latest = contents.version;
    if (!isSettled || latest === reported) continue;
    reported = latest;
    if ('problems' in contents) {
      log.error({ problems: contents.problems }, 'the tokens file cannot be used; keeping the previous tokens');
    } else {
      change(contents.tokens);
      log.info({ tokens: contents.tokens.length }, 'the tokens file was read again');
    }
  }
}

/** A reading may never end where a file server is gone, and holds a thread until then: no second one is begun. */
function createReader(path: string): () => Promise<Contents> {
  let pending: Promise<Contents> | undefined;
  return () => {
    pending ??= readSmallFile(path)
      .then(parse, unreadable)
      .finally(() => (pending = undefined));
    return Promise.race([pending, sleep(READ_TIMEOUT_MS, TIMED_OUT, { ref: false })]);
  };
}

function parse(bytes: Buffer): Contents {
  const version = hash('sha256', bytes);
  const tokens: KnownToken[] = [];
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
      'API_TOKENS_FILE: the last line must end with a newline, without which the file may be incomplete; ' +
        'kubectl create secret keeps it with --from-file, and has none with --from-literal',
    );
  }
  if (tokens.length === 0 && problems.length === 0) problems.push('API_TOKENS_FILE: there is no token in the file');
  return problems.length > 0 ? { version, problems } : { version, tokens };
}

function unreadable(error: unknown): Contents {
  if (error instanceof NotUsable) return { version: error.message, problems: [`API_TOKENS_FILE: ${error.message}`] };
  const { code = 'unknown error' } = error as NodeJS.ErrnoException; // Whatever else it is, it has no code.
  return { version: code, problems: [`API_TOKENS_FILE: the file cannot be read (${code})`] };
}
