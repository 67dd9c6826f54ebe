import { BaseResolver, getLineColLocation, ResolveError, Source, type LocationObject } from '@redocly/openapi-core';
import { relative } from 'node:path';
import { quoteInexactNumbers } from './exact-numbers.ts';

/** A position in a file. `file` is a path relative to the working directory, or a URL. */
export type FilePosition = { readonly file: string; readonly line: number; readonly column: number };

/** Reads a file by its absolute path or URL; `undefined` leaves it to the default. */
export type ReadText = (file: string) => Promise<string> | undefined;

/** Reads referenced files. */
export class Resolver extends BaseResolver {
  readonly #read: ReadText;
  constructor(config: BaseResolver['config'], read: ReadText) {
    super(config);
    this.#read = read;
  }

  override async loadExternalRef(file: string): Promise<Source> {
    const text = this.#read(file);
    if (text === undefined) return super.loadExternalRef(file);
    return new Source(
      file,
      await text.catch((error: unknown) => {
        throw new ResolveError(error instanceof Error ? error : new Error(String(error)));
      }),
    );
  }
}

/** Reads referenced files so that all digits of their numbers are kept. */
export class ExactResolver extends Resolver {
  override async loadExternalRef(file: string): Promise<Source> {
    const { absoluteRef, body, mimeType } = await super.loadExternalRef(file);
    return new Source(absoluteRef, quoteInexactNumbers(body), mimeType);
  }
}

/** Returns the position of a location. */
export function positionOf(location: LocationObject): FilePosition {
  const { line, col } = getLineColLocation(location).start;
  const { absoluteRef } = location.source;
  return { file: isUrl(absoluteRef) ? absoluteRef : relative(process.cwd(), absoluteRef), line, column: col };
}

/** Returns whether a file is named by a URL. */
export function isUrl(path: string): boolean {
  return /^https?:\/\//.test(path);
}
