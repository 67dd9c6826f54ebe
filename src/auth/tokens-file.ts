import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { readTokenEntry } from './token-entry.ts';
import type { KnownToken } from './tokens.ts';

/** What a file of tokens said when it was read. */
export type TokensFile = { readonly path: string; readonly tokens: readonly KnownToken[]; readonly version: string };

type Contents =
  | { readonly version: string; readonly tokens: readonly KnownToken[] }
  | { readonly version: string; readonly problems: readonly string[] };

const POLL_MS = 1_000;

/**
 * Reads a file of tokens, one a line; lines that are blank or start with `#` don't count.
 *
 * @returns what is in it, or every problem with it, none of which repeats a part of it
 */
export function readTokensFile(path: string): TokensFile | { readonly problems: readonly string[] } {
  let contents;
  try {
    contents = parse(readFileSync(path));
  } catch (error) {
    contents = unreadable(error);
  }
  return 'problems' in contents ? contents : { path, ...contents };
}

/**
 * Reads the file again and again, and hands on its tokens when they have changed. While it is missing or broken the
 * tokens of before stay; that, and why, is logged once.
 *
 * It is read, not watched: a mounted secret changes by a symbolic link to a folder above it, which no watcher of the
 * file sees, and a time stamp may be that of the version before.
 */
export async function followTokensFile(
  { path, version }: TokensFile,
  change: (tokens: readonly KnownToken[]) => void,
  log: Logger,
): Promise<never> {
  for (;;) {
    await sleep(POLL_MS, undefined, { ref: false });
    const contents = await readFile(path).then(parse).catch(unreadable);
    if (contents.version === version) continue;
    version = contents.version;
    if ('problems' in contents) {
      log.error({ problems: contents.problems }, 'the tokens file cannot be used; the tokens of before stay');
    } else {
      change(contents.tokens);
      log.info({ tokens: contents.tokens.length }, 'the tokens file was read again');
    }
  }
}

function parse(bytes: Buffer): Contents {
  const version = hash('sha256', bytes);
  const tokens: KnownToken[] = [];
  const problems: string[] = [];
  bytes
    .toString()
    .split('\n')
    .forEach((line, index) => {
      const entry = line.trim();
      if (entry === '' || entry.startsWith('#')) return;
      const lineNumber = String(index + 1);
      const read = readTokenEntry(entry, `API_TOKENS_FILE:${lineNumber}`);
      if ('problem' in read) problems.push(`API_TOKENS_FILE: the token in line ${lineNumber} ${read.problem}`);
      else tokens.push(read);
    });
  if (tokens.length === 0 && problems.length === 0) problems.push('API_TOKENS_FILE: there is no token in the file');
  return problems.length > 0 ? { version, problems } : { version, tokens };
}

function unreadable(error: unknown): Contents {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException; // Whatever else it is, it has no code.
  return { version: code, problems: [`API_TOKENS_FILE: the file cannot be read (${code})`] };
}
