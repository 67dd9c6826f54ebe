import { escapePointer } from '@contract-first/contract';
import { operationMember, operationsOf, type PathItem } from '../document/document.ts';
import { decode, type OpenApiDocument, resolveReference } from '../document/reference.ts';
import type { PlacedDiagnostic } from '../read/diagnostic.ts';
import type { FilePosition } from '../read/files.ts';
import { uncallableReason } from '../read/unreachable-operations.ts';

type Written = { readonly object: unknown; readonly pointer: string };

/**
 * Finds different operations with one operationId in `paths`. An operation may be in several paths by `$ref`: then it has one
 * place.
 *
 * @param document may be invalid, and refer to other files, whose operations are left out
 * @param locate returns the location of a JSON pointer into the document
 */
export function findCollisions(document: object, locate: (pointer: string) => FilePosition): PlacedDiagnostic[] {
  const { paths } = document as { readonly paths?: unknown };
  const entries = Object.entries(Object(paths) as object).filter(([path]) => path.startsWith('/'));
  const operations = entries.flatMap(([path, item]) => {
    if (uncallableReason(path) !== undefined) return [];
    const ofPath = operationsAt(item, `#/paths/${escapePointer(path)}`);
    return [...ofPath].flatMap(([method, { object, pointer }]) => {
      const { operationId } = Object(object) as { readonly operationId?: unknown };
      if (typeof operationId !== 'string' || operationId === '') return [];
      return [{ operationId, name: `${method} ${path}`, pointer }];
    });
  });
  return [...Map.groupBy(operations, ({ operationId }) => operationId)].flatMap(([operationId, [first, ...others]]) => {
    const firstPlace = first === undefined || others.length === 0 ? '' : placeOf(first.pointer);
    return others.flatMap(({ pointer }) => {
      const place = placeOf(pointer);
      if (place === firstPlace) return [];
      const message = `operationId ${operationId} must be unique: ${first?.name ?? ''} at ${firstPlace} has it, too`;
      return [{ severity: 'error' as const, place: `${place} ${pointer}`, message }];
    });
  });

  /** Returns the operations of a path item by method, with the pointers of the places where they are written. */
  function operationsAt(node: unknown, pointer: string): ReadonlyMap<string, Written> {
    const { $ref: reference, ...pathItem } = Object(node) as PathItem;
    const isLocal = typeof reference === 'string' && reference.startsWith('#/');
    const target = isLocal ? resolveReference(document as OpenApiDocument, reference) : undefined;
    return new Map([
      ...(isLocal ? operationsAt(target, decode(reference)) : []),
      ...operationsOf(pathItem).map(([method, object]) => {
        return [method, { object, pointer: `${pointer}/${operationMember(method)}` }] as const;
      }),
    ]);
  }

  function placeOf(pointer: string): string {
    const { file, line, column } = locate(pointer);
    return `${file}:${String(line)}:${String(column)}`;
  }
}
