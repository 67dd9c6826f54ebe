import { dirname, relative, resolve, sep } from 'node:path';
import { escapePointer } from '@contract-first/contract';
import { assertBoundedExpansion } from '../document/expansion-limit.ts';
import { decode } from '../document/reference.ts';
import { convertDialects } from './dialects.ts';
import { isFileObject, type SourceFile } from './file-objects.ts';
import { type FilePosition, type FileReader, isHttpUrl } from './files.ts';
import { findDynamicReferences, type IdentifiersOfFiles, linkFiles, resolveIdentifiers } from './identifiers.ts';
import { type Parsed, parseText } from './parse.ts';
import { Places } from './place.ts';

/** The files of a document. Reads each file when it is opened first. */
export class SourceFiles {
  readonly #reader: FileReader;
  readonly #convert: (file: SourceFile) => SourceFile;
  readonly #files = new Map<string, Promise<SourceFile>>();
  readonly #linked = new Map<string, Promise<void>>();
  readonly #identifiers: IdentifiersOfFiles = new Map();
  readonly #places = new Map<string, Places>();

  /** @param convert simplifies a file that was parsed */
  constructor(reader: FileReader, convert: (file: SourceFile) => SourceFile) {
    this.#reader = reader;
    this.#convert = convert;
  }

  /** The paths of all files, including unreadable ones. */
  get paths(): readonly string[] {
    return [...this.#files.keys()].filter((path) => !this.#reader.refused.has(path));
  }

  /** Returns the path or URL that a reference in a file names. References are URIs, so that `%20` is a space in a path. */
  pathOf(reference: string, { path }: SourceFile): string {
    if (/^(?:https?|file|data):/.test(reference)) return reference;
    if (isHttpUrl(path)) return new URL(reference, path).href;
    return resolve(dirname(path), decode(reference));
  }

  /** Adds a file that was parsed. */
  async add(path: string, parsed: Parsed): Promise<SourceFile> {
    this.#files.set(path, Promise.resolve(this.#prepare(path, parsed)));
    return this.open(path);
  }

  /**
   * Opens a file.
   *
   * @throws {ParseError} for invalid YAML
   * @throws for a file that is unreadable or not allowed
   */
  async open(path: string): Promise<SourceFile> {
    const file = await this.#read(path);
    const linked = this.#linked.get(path) ?? linkFiles(file, this.#identifiers, this.#readReference);
    this.#linked.set(path, linked);
    await linked;
    return file;
  }

  /** Reads the text of a file, such as the value of an example. */
  text(path: string): Promise<string> {
    return this.#reader.text(path);
  }

  /** Finds each `$dynamicRef` that may lead to another file. */
  async findDynamicReferences(): ReturnType<typeof findDynamicReferences> {
    const read = await Promise.allSettled(this.#files.values());
    const files = read.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    return findDynamicReferences(files, this.#identifiers, this.#readReference);
  }

  /** Returns the position of a JSON pointer (`#/paths`) in a file. */
  positionOf({ path, text }: SourceFile, pointer: string): FilePosition {
    const places = this.#places.get(path) ?? new Places(text);
    this.#places.set(path, places);
    return { file: displayName(path), ...places.of(pointer) };
  }

  #read(path: string): Promise<SourceFile> {
    let file = this.#files.get(path);
    if (file === undefined) {
      file = this.#reader.text(path).then((text) => this.#prepare(path, parseText(text)));
      this.#files.set(path, file);
    }
    return file;
  }

  readonly #readReference = (reference: string, base: SourceFile): Promise<SourceFile | undefined> =>
    this.#read(this.pathOf(reference, base)).catch(() => undefined); // The bundler reports unreadable files.

  #prepare(path: string, { value, hasAliases, text }: Parsed): SourceFile {
    // The parser limits the depth of values without aliases.
    if (hasAliases) assertBoundedExpansion(value);
    const parsed = convertDialects(hasAliases ? referToAliases(value) : value);
    return withLocalReferences(this.#convert(resolveIdentifiers({ path, text, parsed }, this.#identifiers)));
  }
}

/** Returns the name of a file for messages and reports, with `/` on all systems. */
export function displayName(path: string): string {
  return isHttpUrl(path) ? path : relative(process.cwd(), path).split(sep).join('/');
}

/** Refers to a path item that a YAML alias also places in another path, as if it were written with `$ref`. */
function referToAliases(parsed: unknown): unknown {
  const { paths } = Object(parsed) as { readonly paths?: unknown };
  const seen = new Map<unknown, string>();
  const entries = Object.entries(Object(paths) as object).map(([path, item]: [string, unknown]) => {
    const first = isFileObject(item) ? seen.get(item) : undefined;
    if (first !== undefined) return [path, { $ref: `#/paths/${escapePointer(encodeURI(first))}` }] as const;
    seen.set(item, path);
    return [path, item] as const;
  });
  return entries.length === seen.size ? parsed : { ...(parsed as object), paths: Object.fromEntries(entries) };
}

/** Shortens references with the file's own URI, `$self` (OpenAPI 3.2, 4.1.1), to fragments. */
function withLocalReferences(file: SourceFile): SourceFile {
  const { $self: self } = Object(file.parsed) as { readonly $self?: unknown };
  return typeof self === 'string' ? { ...file, parsed: shorten(file.parsed, self) } : file;
}

function shorten(node: unknown, self: string): unknown {
  if (!isFileObject(node)) return node;
  if (Array.isArray(node)) return node.map((item) => shorten(item, self));
  const members = Object.entries(node).map(([key, value]) => {
    const isOwn = key === '$ref' && typeof value === 'string' && value.startsWith(`${self}#`);
    return [key, isOwn ? value.slice(self.length) : shorten(value, self)] as const;
  });
  return Object.fromEntries(members);
}
