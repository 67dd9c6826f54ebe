import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { AllowedRefs } from './allowed-refs.ts';

/** A position in a file. `file` is a path relative to the working directory, or a URL. */
export type FilePosition = { readonly file: string; readonly line: number; readonly column: number };

/** Reads a file by its absolute path or URL; returns `undefined` to use the default reader. */
export type ReadFileText = (file: string) => Promise<string> | undefined;

/** Defines which files a document may refer to. */
export type FileAccess = {
  /** The path or URL of the folder that contains all files; by default, the folder of the document. */
  readonly folder?: string | undefined;
  /** The allowed kinds of files outside the folder. */
  readonly allowed: AllowedRefs;
};

const MAX_BYTES = 2 ** 26;
const FETCH_MS = 10_000;

/** Reads the files that a document may refer to. Reads each file once. */
export class FileReader {
  /** The files outside the folder that were not read. */
  readonly refused = new Set<string>();
  readonly #texts = new Map<string, Promise<string>>();
  readonly #read: ReadFileText;
  readonly #folder: string;
  readonly #allowed: AllowedRefs;

  /** @param root the absolute path or URL of the document */
  constructor(root: string, read: ReadFileText, { folder, allowed }: FileAccess) {
    this.#read = read;
    this.#folder = folder ?? (isHttpUrl(root) ? new URL('.', root).href : dirname(root));
    this.#allowed = allowed;
  }

  /** @throws if the file is unreadable or not allowed */
  text(file: string): Promise<string> {
    let text = this.#texts.get(file);
    if (text === undefined) this.#texts.set(file, (text = this.#load(file)));
    return text;
  }

  async #load(file: string): Promise<string> {
    if (/^(?:file|data):/.test(file)) throw new Error('is a URL of another kind than http: write a path');
    const isWithin = isHttpUrl(file) ? file.startsWith(this.#folder) : contains(this.#folder, file);
    if (!isWithin) this.#refuse(file);
    const given = this.#read(file);
    if (given !== undefined) return given;
    if (isHttpUrl(file)) return fetchText(file);
    const [real, folder] = await Promise.all([realpath(file), realpath(this.#folder)]);
    if (!contains(folder, real)) this.#refuse(file, real);
    const found = await stat(real);
    if (!found.isFile()) throw new Error(`is not a file: ${file}`);
    if (found.size > MAX_BYTES) throw new Error(`is larger than ${String(MAX_BYTES)} bytes: ${file}`);
    return (await readFile(real, 'utf8')).replaceAll('\r\n', '\n');
  }

  /** @throws unless the kind of the file is allowed */
  #refuse(file: string, real = file): void {
    const kind = isHttpUrl(file) ? 'http' : 'files';
    if (this.#allowed.has(kind)) return;
    this.refused.add(file);
    throw new Error(`is outside of the folder of the document: ${real}; --allow-refs ${kind} allows it`);
  }
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
  if (!response.ok) throw new Error(`${url} responded ${String(response.status)}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`${url} is larger than ${String(MAX_BYTES)} bytes`); // Cancels the response.
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns whether a folder contains a path. */
function contains(folder: string, path: string): boolean {
  const way = relative(resolve(folder), path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Returns whether a path is a URL. */
export function isHttpUrl(path: string): boolean {
  return /^https?:\/\//.test(path);
}
