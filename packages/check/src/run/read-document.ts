import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { escapePointer } from '@contract-first/contract';
import { formatDiagnostic, prepareDocument, type AllowedRefs, type OpenApiDocument } from '@contract-first/documents';
import { fetchLocal, fetchSecurely, isUrl, withExcerpt } from '@contract-first/command-line/files';
import type { Tls } from '@contract-first/command-line/options';
import { CannotCheck } from '@contract-first/model/values';
import { type InvalidOperation, removeInvalid } from '@contract-first/model/operations';

/** A document without its invalid operations. */
export type CheckedDocument = {
  readonly document: OpenApiDocument;
  /** The skipped invalid operations, each with its first problem. */
  readonly invalid: readonly InvalidOperation[];
  /** Returns the place of an operation in the files of the document. */
  readonly locate: LocateOperation;
};

/** Returns the place of an operation; `undefined` if the document does not have it. */
export type LocateOperation = (operationId: string) => { readonly file: string; readonly line: number } | undefined;

const GENERATED = 'generated/openapi.json';
const MAX_ROUNDS = 10;

/**
 * Reads a document, and removes its invalid operations. Reads the generated document by default.
 *
 * @throws {CannotCheck} with all problems, if no valid operation is left or a problem is outside of the operations
 */
export async function readDocument(path = GENERATED, allowed: AllowedRefs, tls: Tls = {}): Promise<CheckedDocument> {
  if (path === GENERATED && !existsSync(path))
    throw new CannotCheck(`name a document: contract-first check openapi.yaml; there is no ${GENERATED}`);
  const root = isUrl(path) ? path : resolve(path);
  const folder = isUrl(path) ? { folder: new URL('/', path).href } : {};
  const readOther = (file: string): Promise<string> | undefined => {
    if (isUrl(path) && file.startsWith(new URL('/', path).href)) return fetchLocal(file, tls);
    return file.startsWith('https:') && Object.keys(tls).length > 0 ? fetchSecurely(file, tls) : undefined;
  };
  const invalid: InvalidOperation[] = [];
  let text: string | undefined;
  let refusal: CannotCheck | undefined;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const read = (file: string): Promise<string> | undefined =>
      file === root && text !== undefined ? Promise.resolve(text) : readOther(file);
    const { document, diagnostics, locate } = await prepareDocument(path, allowed, { ...folder, read });
    if (document !== undefined) return { document, invalid, locate: createLocate(document, locate) };
    refusal ??= new CannotCheck(diagnostics.map(formatDiagnostic).map(withExcerpt).join('\n'));
    text ??= await (readOther(root) ?? readFile(root, 'utf8')).catch(() => '');
    const rest = text === '' ? undefined : removeInvalid(text, diagnostics);
    if (rest === undefined) throw refusal;
    invalid.push(...rest.invalid);
    text = rest.text;
  }
  throw refusal ?? new CannotCheck(`${path} cannot be read`);
}

// The type of validated path items. Only members that are operations have an operationId.
type PathItems = Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;

function createLocate(
  { paths }: OpenApiDocument,
  locate: (pointer: string) => { readonly file: string; readonly line: number },
): LocateOperation {
  const pointers = new Map(
    Object.entries((paths ?? {}) as PathItems).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId = `${method.toUpperCase()} ${path}` }]) => {
        return [operationId, `#/paths/${escapePointer(path)}/${method}`] as const;
      }),
    ),
  );
  return (operationId) => {
    const pointer = pointers.get(operationId);
    return pointer === undefined ? undefined : locate(pointer);
  };
}
