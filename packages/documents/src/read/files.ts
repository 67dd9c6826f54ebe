import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { escapePointer } from '@contract-first/contract';
import {
  BaseResolver,
  type Document,
  getLineColLocation,
  type LocationObject,
  makeDocumentFromString,
  ResolveError,
  Source,
  YamlParseError,
} from '@redocly/openapi-core';
import { parseDocument } from 'yaml';
import { assertBoundedExpansion } from '../document/expansion-limit.ts';
import { decode } from '../document/reference.ts';
import type { AllowedRefs } from './allowed-refs.ts';
import { isObject } from './file-objects.ts';
import { convertDialects } from './dialects.ts';
import { findDynamicReferences, linkFiles, resolveIdentifiers } from './identifiers.ts';
import { quoteInexactNumbers } from './exact-numbers.ts';
import { escapePrototypeNames } from './prototype-names.ts';

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

/** A resolver for the linter that reads files with a {@link FileReader}. */
export class Resolver extends BaseResolver {
  readonly #reader: FileReader;
  readonly #convert: (file: Document) => Document;

  /** @param convert simplifies a file that was parsed */
  constructor(config: BaseResolver['config'], reader: FileReader, convert: (file: Document) => Document) {
    super(config);
    this.#reader = reader;
    this.#convert = convert;
  }

  /** A reference is a URI, so its percent signs are decoded to get the name of a file. */
  override resolveExternalRef(base: string | null, reference: string): string {
    const isFile = !isHttpUrl(reference) && !isHttpUrl(base ?? '');
    return super.resolveExternalRef(base, isFile ? decode(reference) : reference);
  }

  override async loadExternalRef(file: string): Promise<Source> {
    try {
      return new Source(file, await this.#reader.text(file), isHttpUrl(file) ? 'application/yaml' : undefined);
    } catch (error) {
      throw new ResolveError(error instanceof Error ? error : new Error(String(error)));
    }
  }

  override async resolveDocument<T = unknown>(
    base: string | null,
    path: string,
    isRoot?: boolean,
  ): Promise<Document<T> | ResolveError | YamlParseError> {
    const document = await super.resolveDocument<T>(base, path, isRoot);
    if ('parsed' in document) await this.link(document);
    return document;
  }

  /** Replaces references to anchors and identifiers of other files by JSON pointers, in place. */
  link(document: Document): Promise<void> {
    return linkFiles(document, this.#readFile);
  }

  /** Finds each `$dynamicRef` that may lead to another file. @param root the document */
  async findDynamicReferences(root: Document): ReturnType<typeof findDynamicReferences> {
    const files = await Promise.all(this.cache.values().map((file) => file.catch(() => undefined)));
    const parsed = files.filter((file) => file !== undefined && 'parsed' in file);
    return findDynamicReferences([root, ...parsed], this.#readFile);
  }

  readonly #readFile = async (path: string, { absoluteRef }: Source): Promise<Document | undefined> => {
    const file = await super.resolveDocument(absoluteRef, path).catch(() => undefined);
    return file !== undefined && 'parsed' in file ? file : undefined; // The linter reports unreadable files.
  };

  override parseDocument(source: Source, isRoot?: boolean): Document {
    const document = parsing(source, (text) => super.parseDocument(text, isRoot));
    try {
      const converted = this.#convert(bounded(document));
      return { ...converted, parsed: escapePrototypeNames(converted.parsed) };
    } catch (error) {
      throw new ResolveError(error as Error);
    }
  }
}

/** A resolver that preserves all digits of numbers. */
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
 * @throws if its aliases are circular or too large
 */
export function parseText(text: string, file: string): Document {
  return bounded(parsing(new Source(file, text), ({ body }) => makeDocumentFromString(body, file)));
}

// Bytes of UTF-16, with or without a byte order mark, decoded as UTF-8.
const UTF_16 = /^(?:\uFFFD\uFFFD|\0[^]|[^]\0)/;
const DEFICIENT = 'deficient indentation';
// The text is parsed again for each.
const MAX_CLOSINGS = 200;

/**
 * Calls the parser. Accepts closing brackets that are indented as the key of their collection, as most parsers do.
 *
 * @param rest the number of lines that may be indented for it
 * @throws {YamlParseError} with the place, which the parser does not name for each mistake, and one line as its message
 */
function parsing(source: Source, parse: (source: Source) => Document, rest = MAX_CLOSINGS): Document {
  const fail = (message: string, line: number, col: number): never => {
    throw Object.assign(new YamlParseError(new Error(message), source), { line, col });
  };
  if (UTF_16.test(source.body)) return fail('is encoded in UTF-16: save it as UTF-8', 1, 1);
  try {
    return parse(source);
  } catch (error) {
    if (!(error instanceof YamlParseError)) throw error;
    const { line, col, originalError } = error as YamlParseError & { originalError: { reason?: string } };
    const reason = originalError.reason ?? 'is not valid YAML';
    const body = reason === DEFICIENT && rest > 0 ? indentClosing(source.body, line) : undefined;
    if (body !== undefined && body !== source.body)
      return parsing(new Source(source.absoluteRef, body, source.mimeType), parse, rest - 1);
    const advice = reason === DEFICIENT ? ': indent this line deeper than its key, or close a quote before it' : '';
    if (!Number.isNaN(line)) return fail(reason + advice, line, col);
    const [place] = parseDocument(source.body).errors[0]?.linePos ?? [];
    return fail(reason, place?.line ?? 1, place?.col ?? 1);
  }
}

/** Indents a line that begins with a closing bracket as the line before it. */
function indentClosing(text: string, line: number): string | undefined {
  const lines = text.split('\n');
  const closing = lines[line - 1]?.trimStart() ?? '';
  const before = lines.slice(0, line - 1).findLast((other) => other.trim() !== '') ?? '';
  if (!/^[\]}]/.test(closing)) return undefined;
  lines[line - 1] = (/^ */.exec(before)?.[0] ?? '') + closing;
  return lines.join('\n');
}

function bounded(document: Document): Document {
  assertBoundedExpansion(document.parsed);
  return resolveIdentifiers({ ...document, parsed: convertDialects(referToAliases(document.parsed)) });
}

/** Refers to a path item that a YAML alias also places in another path, as if it were written with `$ref`. */
function referToAliases(parsed: unknown): unknown {
  const { paths } = Object(parsed) as { readonly paths?: unknown };
  const seen = new Map<unknown, string>();
  const entries = Object.entries(Object(paths) as object).map(([path, item]: [string, unknown]) => {
    const first = isObject(item) ? seen.get(item) : undefined;
    if (first !== undefined) return [path, { $ref: `#/paths/${escapePointer(encodeURI(first))}` }] as const;
    seen.set(item, path);
    return [path, item] as const;
  });
  return entries.length === seen.size ? parsed : { ...(parsed as object), paths: Object.fromEntries(entries) };
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

/** Returns the file position of a linter location. */
export function positionOf(location: LocationObject): FilePosition {
  const { line, col } = startOf(location);
  const { absoluteRef } = location.source;
  return { file: isHttpUrl(absoluteRef) ? absoluteRef : relative(process.cwd(), absoluteRef), line, column: col };
}

/** Returns the start of a location, or the beginning of the file if the parser throws, as for some YAML tags. */
function startOf(location: LocationObject): { readonly line: number; readonly col: number } {
  const first = { line: 1, col: 1 };
  try {
    const { start } = getLineColLocation(location);
    return Number.isNaN(start.line) ? first : start;
  } catch {
    return first;
  }
}

/** Returns whether a path is a URL. */
export function isHttpUrl(path: string): boolean {
  return /^https?:\/\//.test(path);
}
