import { escapePointer } from '@contract-first/contract';
import { type Document, operationMember, operationsOf, type PathItem } from '../document/document.ts';
import { decode, resolveReference } from '../document/reference.ts';
import type { PlacedDiagnostic } from './diagnostic.ts';
import type { FilePosition } from './files.ts';
import { uncallableReason } from './unreachable.ts';

/**
 * Finds different operations with one operationId in `paths`. An operation may be in several paths by `$ref`: then it has one
 * place.
 *
 * @param locate returns the location of a JSON pointer into the document
 */
export function findCollisions(document: Document, locate: (pointer: string) => FilePosition): PlacedDiagnostic[] {
  const entries = Object.entries(document.paths ?? {}).filter(([path]) => path.startsWith('/'));
  const operations = entries.flatMap(([path, item]) => {
    if (uncallableReason(path) !== undefined) return [];
    const [pathItem, pointer] = follow(item, `#/paths/${escapePointer(path)}`);
    return operationsOf(pathItem).map(([method, { operationId }]) => {
      return { operationId, name: `${method} ${path}`, pointer: `${pointer}/${operationMember(method)}` };
    });
  });
  const named = operations.filter(({ operationId }) => typeof operationId === 'string' && operationId !== '');
  return [...Map.groupBy(named, ({ operationId }) => operationId)].flatMap(([operationId, [first, ...others]]) => {
    const firstPlace = first === undefined || others.length === 0 ? '' : placeOf(first.pointer);
    return others.flatMap(({ pointer }) => {
      const place = placeOf(pointer);
      if (place === firstPlace) return [];
      const message = `operationId ${operationId} is also that of ${first?.name ?? ''} at ${firstPlace}: it must be unique`;
      return [{ severity: 'error' as const, place: `${place} ${pointer}`, message }];
    });
  });

  function follow(pathItem: PathItem, pointer: string): readonly [pathItem: PathItem, pointer: string] {
    const { $ref: reference } = pathItem;
    if (typeof reference !== 'string') return [pathItem, pointer];
    return follow(resolveReference(document, reference) as PathItem, decode(reference)); // The linter has checked this.
  }

  function placeOf(pointer: string): string {
    const { file, line, column } = locate(pointer);
    return `${file}:${String(line)}:${String(column)}`;
  }
}
