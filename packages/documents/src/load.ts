import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describeSystemError } from '@contract-first/contract';
import { findExclusions } from './check/exclusions.ts';
import { findCollisions } from './check/operation-ids.ts';
import { describePathParameters, findParameterProblems } from './check/path-parameters.ts';
import { findEndlessReferences } from './check/references.ts';
import { findStructureProblems } from './check/structure.ts';
import type { SchemaNames } from './document/names.ts';
import type { OpenApiDocument } from './document/reference.ts';
import { NO_OUTSIDE } from './read/allowed-refs.ts';
import { bundle } from './read/bundle.ts';
import { groupWarnings, type PlacedDiagnostic, placeDiagnostics } from './read/diagnostic.ts';
import { readNumbers } from './read/exact-numbers.ts';
import { type FileAccess, type FilePosition, FileReader, isHttpUrl, type ReadFileText } from './read/files.ts';
import { readMisspelledTexts } from './read/misspelled-texts.ts';
import { OldKeywords } from './read/old-keywords.ts';
import { ParseError, parseText } from './read/parse.ts';
import { SourceFiles } from './read/source-files.ts';
import { uncallableReason } from './read/unreachable-operations.ts';

/** A checked and bundled OpenAPI document. */
export type LoadedContract = {
  /** The document without external references, with bigints for large integers; `undefined` if it has errors. */
  readonly document: OpenApiDocument | undefined;
  /** The document, with raw JSON for the numbers that a double would change; `undefined` if it has errors. */
  readonly source: unknown;
  readonly diagnostics: readonly PlacedDiagnostic[];
  /** Returns the location of a JSON pointer (`#/paths/~1pets`) for messages. */
  readonly placeOf: (pointer: string) => string;
  /** Returns the location of a JSON pointer into `document`, or of its closest parent that exists. */
  readonly locate: (pointer: string) => FilePosition;
  /** The original names of the schemas that come from other files, by name in `document`. */
  readonly schemaNames: SchemaNames;
  /** The absolute paths of the files that the document consists of, including unreadable ones. */
  readonly sources: readonly string[];
};

/**
 * Reads an OpenAPI document, bundles and checks it.
 *
 * @param path a path, or a URL that `read` can read
 * @param rules `validity` for all errors; `structure` for errors outside schemas, which OpenAPI 3.1 leaves to their dialect
 * @param read reads the document and referenced files from a source other than the file system
 * @param access the files that the document may refer to
 */
export async function loadContract(
  path: string,
  rules: 'structure' | 'validity',
  read: ReadFileText = () => undefined,
  access: FileAccess = { allowed: NO_OUTSIDE },
): Promise<LoadedContract> {
  const absolute = isHttpUrl(path) ? path : resolve(path);
  const unreadable = (place: string, message: string): LoadedContract => ({
    document: undefined,
    source: undefined,
    diagnostics: [{ severity: 'error', place, message }],
    placeOf: () => path,
    locate: () => ({ file: path, line: 1, column: 1 }),
    schemaNames: new Map(),
    sources: [absolute],
  });

  const oldKeywords = new OldKeywords();
  let files: SourceFiles;
  let root;
  try {
    const given = read(absolute);
    if (given === undefined && isHttpUrl(path)) return unreadable(path, 'is a URL: download it, and name the file');
    const parsed = parseText(await (given ?? readFile(path, 'utf8')));
    const { openapi: version, swagger } = Object(parsed.value) as Readonly<Record<string, unknown>>;
    if (typeof version !== 'string' || !/^3\.[0-2]\.\d+$/.test(version)) {
      const conversion = 'npx swagger2openapi --outfile openapi.yaml <document>';
      const message =
        swagger === undefined
          ? `must be an OpenAPI document of version 3.0, 3.1 or 3.2, not ${JSON.stringify(version ?? null)}`
          : `is a Swagger 2.0 document, but OpenAPI 3.0 to 3.2 is needed: convert it with ${conversion}`;
      return unreadable(path, message);
    }
    const isVersion30 = version.startsWith('3.0.');
    const reader = new FileReader(absolute, read, access);
    files = new SourceFiles(reader, (file) => oldKeywords.convert(file, isVersion30));
    root = await files.add(absolute, parsed);
  } catch (error) {
    if (!(error instanceof ParseError)) return unreadable(path, `cannot be read: ${describeSystemError(error)}`);
    return unreadable(`${path}:${String(error.line)}:${String(error.column)}`, error.message);
  }

  const bundled = await bundle(root, files);
  const written = bundled.document as OpenApiDocument; // The version was checked.
  const endless = findEndlessReferences(written);
  const clear = [...readMisspelledTexts(written), ...(endless.length > 0 ? [] : describePathParameters(written))];
  const { value, warnings } = readNumbers(written);
  const document = value as OpenApiDocument; // A copy.
  const locate = (pointer: string): FilePosition => {
    const { file, pointer: own } = bundled.originOf(pointer);
    return files.positionOf(file, `#${own}`);
  };
  const placeOf = (pointer: string): string => {
    const { file, pointer: own } = bundled.originOf(pointer);
    return describe(files.positionOf(file, `#${own}`), `#${own}`);
  };
  const place = <Found extends { readonly pointer: string; readonly message: string }>(
    found: readonly Found[],
    severityOf: (one: Found) => PlacedDiagnostic['severity'],
  ): readonly PlacedDiagnostic[] =>
    found
      .filter(({ pointer }) => !isUncallable(pointer))
      .map((one) => ({ severity: severityOf(one), place: placeOf(one.pointer), message: one.message }));
  const problems =
    endless.length > 0
      ? placeDiagnostics('error', endless, placeOf)
      : [
          ...findCollisions(document, locate),
          ...place(findStructureProblems(document, rules === 'structure'), ({ severity, isKeyword, pointer }) =>
            // Schemas in files of their own have keywords of JSON Schema, such as $schema.
            isKeyword && bundled.originOf(pointer).file !== root ? 'warn' : severity,
          ),
          ...place(findParameterProblems(document), () => 'error'),
          ...place(findExclusions(document), () => 'error'),
        ];
  const dynamic = await files.findDynamicReferences();
  const diagnostics = groupWarnings([
    ...bundled.diagnostics,
    ...problems,
    ...placeDiagnostics('warn', [...clear, ...warnings], placeOf),
    ...dynamic.map(({ file, pointer, message }) => {
      return { severity: 'error' as const, place: describe(files.positionOf(file, pointer), pointer), message };
    }),
    ...oldKeywords.warnings.map(({ file, pointer, message }) => {
      return { severity: 'warn' as const, place: describe(files.positionOf(file, pointer), pointer), message };
    }),
  ]);
  const isRejected = diagnostics.some(({ severity }) => severity === 'error');
  return {
    document: isRejected ? undefined : document,
    source: isRejected ? undefined : written,
    diagnostics,
    placeOf,
    locate,
    schemaNames: isRejected ? new Map() : bundled.schemaNames,
    sources: files.paths,
  };
}

/** Returns whether a JSON pointer is inside a path that is not served. */
function isUncallable(pointer: string): boolean {
  const [, path = ''] = /^#\/paths\/([^/]*)/.exec(pointer) ?? [];
  return uncallableReason(path) !== undefined;
}

function describe({ file, line, column }: FilePosition, pointer: string): string {
  return `${file}:${String(line)}:${String(column)} ${pointer}`;
}
