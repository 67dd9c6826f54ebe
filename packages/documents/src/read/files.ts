import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import {
  BaseResolver,
  type Document,
  getLineColLocation,
  type LocationObject,
  makeDocumentFromString,
  ResolveError,
  Source,
} from '@redocly/openapi-core';
import { assertBoundedExpansion } from '../document/bounds.ts';
import { convertDialects } from './dialects.ts';
import { quoteInexactNumbers } from './exact-numbers.ts';

/** A position in a file. `file` is a path relative to the working directory, or a URL. */
export type FilePosition = { readonly file: string; readonly line: number; readonly column: number };

/** Reads a file by its absolute path or URL; `undefined` leaves it to the default. */
export type ReadText = (file: string) => Promise<string> | undefined;

/** The files that a document may refer to. */
export type FileAccess = {
  /** The folder, or the URL of the folder, with all of them; by default, that of the document. */
  readonly folder?: string | undefined;
  /** The kinds of files elsewhere that may be read, too. */
  readonly allowed: AllowedRefs;
};

const MAX_BYTES = 2 ** 26;
const FETCH_MS = 10_000;

/** Reads the files that a document refers to, each once, and no others. */
export class FileReader {
  /** The files that were not read, because they are outside. */
  readonly refused = new Set<string>();
  readonly #texts = new Map<string, Promise<string>>();
  readonly #read: ReadText;
  readonly #folder: string;
  readonly #allowed: AllowedRefs;

  /** @param root the absolute path or URL of the document */
  constructor(root: string, read: ReadText, { folder, allowed }: FileAccess) {
    this.#read = read;
    this.#folder = folder ?? (isUrl(root) ? new URL('.', root).href : dirname(root));
    this.#allowed = allowed;
  }

  /** @throws if the file cannot be read or must not be */
  text(file: string): Promise<string> {
    let text = this.#texts.get(file);
    if (text === undefined) this.#texts.set(file, (text = this.#load(file)));
    return text;
  }

  async #load(file: string): Promise<string> {
    if (/^(?:file|data):/.test(file)) throw new Error('is a URL of another kind than http: write a path');
    const isWithin = isUrl(file) ? file.startsWith(this.#folder) : contains(this.#folder, file);
    if (!isWithin) this.#refuse(file);
    const given = this.#read(file);
    if (given !== undefined) return given;
    if (isUrl(file)) return fetchText(file);
    const [real, folder] = await Promise.all([realpath(file), realpath(this.#folder)]);
    if (!contains(folder, real)) this.#refuse(file, real);
    const found = await stat(real);
    if (!found.isFile()) throw new Error(`is not a file: ${file}`);
    if (found.size > MAX_BYTES) throw new Error(`is larger than ${String(MAX_BYTES)} bytes: ${file}`);
    return (await readFile(real, 'utf8')).replaceAll('\r\n', '\n');
  }

  /** @throws unless the kind of the file is allowed */
  #refuse(file: string, real = file): void {
    const kind = isUrl(file) ? 'http' : 'files';
    if (this.#allowed.has(kind)) return;
    this.refused.add(file);
    throw new Error(`is outside of the folder of the document: ${real}; --allow-refs ${kind} allows it`);
  }
}

/** Lets the linter read referenced files. */
export class Resolver extends BaseResolver {
  readonly #reader: FileReader;
  constructor(config: BaseResolver['config'], reader: FileReader) {
    super(config);
    this.#reader = reader;
  }

  override async loadExternalRef(file: string): Promise<Source> {
    try {
      return new Source(file, await this.#reader.text(file), isUrl(file) ? 'application/yaml' : undefined);
    } catch (error) {
      throw new ResolveError(error instanceof Error ? error : new Error(String(error)));
    }
  }

  override parseDocument(source: Source, isRoot?: boolean): Document {
    const document = super.parseDocument(source, isRoot) as Document; // It is declared as any.
    try {
      return bounded(document);
    } catch (error) {
      throw new ResolveError(error as Error);
    }
  }
}

/** Reads referenced files so that all digits of their numbers are kept. */
export class ExactResolver extends Resolver {
  override async loadExternalRef(file: string): Promise<Source> {
    const { absoluteRef, body, mimeType } = await super.loadExternalRef(file);
    return new Source(absoluteRef, quoteInexactNumbers(body), mimeType);
  }
}

/**
 * Parses the text of a document.
 *
 * @throws {YamlParseError} for invalid YAML
 * @throws if its aliases have no end
 */
export function parseText(text: string, file: string): Document {
  return bounded(makeDocumentFromString(text, file));
}

function bounded(document: Document): Document {
  assertBoundedExpansion(document.parsed);
  return { ...document, parsed: convertDialects(document.parsed) };
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

/** Returns whether a path is in a folder. */
function contains(folder: string, path: string): boolean {
  const way = relative(resolve(folder), path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Returns the position of a location. */
export function positionOf(location: LocationObject): FilePosition {
  const { line, col } = startOf(location);
  const { absoluteRef } = location.source;
  return { file: isUrl(absoluteRef) ? absoluteRef : relative(process.cwd(), absoluteRef), line, column: col };
}

/** Returns the beginning of the file where its parser cannot find the place: it throws for some tags of YAML. */
function startOf(location: LocationObject): { readonly line: number; readonly col: number } {
  const first = { line: 1, col: 1 };
  try {
    const { start } = getLineColLocation(location);
    return Number.isNaN(start.line) ? first : start;
  } catch {
    return first;
  }
}

/** Returns whether a file is named by a URL. */
export function isUrl(path: string): boolean {
  return /^https?:\/\//.test(path);
}

/** The kinds of files outside the folder of the document that a `$ref` may name. */
const OUTSIDE = ['files', 'http'] as const;
type Outside = (typeof OUTSIDE)[number];
export type AllowedRefs = ReadonlySet<Outside>;

/** By default, references stay in the folder of the document. */
export const NO_OUTSIDE: AllowedRefs = new Set();

/** The option of the command line, for `parseArgs`. */
export const ALLOW_REFS = { 'allow-refs': { type: 'string', multiple: true } } as const;

/**
 * Reads the values of `--allow-refs`: `files`, `http`, or both with a comma.
 *
 * @throws for other words
 */
export function readAllowedRefs(values: readonly string[] = []): AllowedRefs {
  const words = values.flatMap((value) => value.split(',')).map((word) => word.trim());
  const isKnown = (word: string): word is Outside => OUTSIDE.some((outside) => outside === word);
  const unknown = words.find((word) => !isKnown(word));
  if (unknown !== undefined) throw new Error(`--allow-refs must be ${OUTSIDE.join(' or ')}, not "${unknown}"`);
  return new Set(words.filter(isKnown));
}
