import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { listFiles } from '@contract-first/command-line/files';
import type { Contract, Operation } from '@contract-first/contract';

const CACHE = 'node_modules/.cache/compiled-operations.json';
// The package that compiles the schemas. Its manifest pins the versions of its dependencies.
const COMPILER = dirname(createRequire(import.meta.url).resolve('@contract-first/contract'));
const MANIFEST = join(COMPILER, '../package.json');
const REFERENCE = /"#\/components\/(?:[^"\\]|\\.)*"/g;
// Enough for several documents.
const MAX_DIGESTS = 5_000;

/** A digest of schemas, and their references. */
type Part = { readonly digest: string; readonly references: readonly string[] };

/**
 * Caches which operations have compilable schemas, so that a run compiles only changed schemas. The key is a digest of
 * all inputs of the compilation.
 */
export class CompilationCache {
  readonly #contract: Contract;
  readonly #compiler = digestOf(
    [...listFiles(COMPILER).map((file) => join(COMPILER, file)), MANIFEST].map(read).join(),
  );
  readonly #cached: ReadonlySet<string> = new Set(readCache());
  readonly #parts = new Map<string, Part>();
  readonly #digests = new Map<Operation, string>();

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  has(operation: Operation): boolean {
    return this.#cached.has(this.#digest(operation));
  }

  /** Adds operations, and writes the cache file if possible. */
  add(operations: readonly Operation[]): void {
    const digests = new Set([...operations.map((operation) => this.#digest(operation)), ...this.#cached]);
    if (digests.size === this.#cached.size || !existsSync('node_modules')) return;
    try {
      mkdirSync(dirname(CACHE), { recursive: true });
      // Written and renamed, since another process may read the file at the same time.
      const written = `${CACHE}.${String(process.pid)}`;
      writeFileSync(written, JSON.stringify([...digests].slice(0, MAX_DIGESTS)));
      renameSync(written, CACHE);
    } catch {
      // Without a cache file, the next run compiles the schemas again.
    }
  }

  #digest(operation: Operation): string {
    const digest = this.#digests.get(operation) ?? this.#digestOf(operation);
    this.#digests.set(operation, digest);
    return digest;
  }

  /** Returns a digest of the schemas of an operation and all their references. */
  #digestOf(operation: Operation): string {
    const root = partOf(operation.schemas);
    const references = new Set(root.references);
    // The loop also visits references that are added meanwhile.
    for (const reference of references) for (const next of this.#component(reference).references) references.add(next);
    // Equal schemas lead to equal references in the same order.
    const reached = Array.from(references, (reference) => this.#component(reference).digest);
    return digestOf([this.#compiler, root.digest, ...reached].join());
  }

  #component(reference: string): Part {
    const cached = this.#parts.get(reference) ?? partOf(this.#contract.schemas[reference]);
    this.#parts.set(reference, cached);
    return cached;
  }
}

function partOf(node: unknown): Part {
  const text = JSON.stringify(node ?? null);
  const literals = new Set(text.match(REFERENCE));
  return { digest: digestOf(text), references: Array.from(literals, (literal) => JSON.parse(literal) as string) };
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

/** Returns the digests of earlier runs; none if the file is missing or unreadable. */
function readCache(): readonly string[] {
  try {
    return JSON.parse(read(CACHE)) as readonly string[]; // Only this module writes the file.
  } catch {
    return [];
  }
}
