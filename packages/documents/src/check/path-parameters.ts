import { escapePointer } from '@contract-first/contract';
import { operationMember, operationsOf, type PathItem } from '../document/document.ts';
import { dereference, type OpenApiDocument, resolvePathItem } from '../document/reference.ts';
import { uncallableReason } from '../read/unreachable-operations.ts';
import { walkDocument } from '../document/walk.ts';
import type { Diagnostic } from '../read/diagnostic.ts';

type Listed = { readonly in?: unknown; readonly name?: unknown; readonly pointer: string };

/**
 * Finds parameters that a list has twice, and paths whose templates have other parameters than their operations.
 *
 * @param document may be invalid; its references are not circular
 */
export function findParameterProblems(document: OpenApiDocument): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  walkDocument(document, ({ kind, node, pointer }) => {
    if (kind !== 'pathItem' && kind !== 'operation') return;
    const seen = new Set<string>();
    for (const { in: place, name, pointer: own } of parametersIn(node, pointer)) {
      const key = `${String(place)} ${String(name)}`;
      if (seen.has(key))
        found.push({ pointer: own, message: `the ${String(place)} parameter ${String(name)} is listed twice` });
      seen.add(key);
    }
  });
  for (const [path, item] of Object.entries(Object(document['paths']) as object)) {
    if (!path.startsWith('/') || uncallableReason(path) !== undefined) continue;
    checkPath(path, resolvePathItem(document, item), `#/paths/${escapePointer(path)}`);
  }
  return found;

  function checkPath(path: string, pathItem: PathItem, pointer: string): void {
    const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
    if (names.includes('')) found.push({ pointer, message: 'a parameter of a path needs a name: {} has none' });
    const shared = parametersIn(pathItem, pointer).filter(isInPath);
    const isUnknown = ({ name }: Listed): boolean => !path.includes(`{${String(name)}}`);
    const reportUnknown = ({ name, pointer: own }: Listed): void =>
      void found.push({ pointer: own, message: `the path has no {${String(name)}}` });
    shared.filter(isUnknown).forEach(reportUnknown);
    for (const [method, operation] of operationsOf(pathItem)) {
      const place = `${pointer}/${operationMember(method)}`;
      const own = parametersIn(Object(operation) as PathItem, place).filter(isInPath);
      own.filter(isUnknown).forEach(reportUnknown);
      const described = [...shared, ...own].map(({ name }) => name);
      const missing = names.filter((name) => name !== '' && !described.includes(name));
      for (const name of new Set(missing))
        found.push({ pointer: place, message: `the path parameter ${name} is not described: add it to parameters` });
    }
  }

  function parametersIn({ parameters }: Readonly<Record<string, unknown>>, pointer: string): readonly Listed[] {
    if (!Array.isArray(parameters)) return [];
    return parameters.map((node: unknown, index) => {
      const { in: place, name } = Object(dereference(document, node)) as Partial<Listed>;
      return { in: place, name, pointer: `${pointer}/parameters/${String(index)}` };
    });
  }
}

function isInPath({ in: place, name }: Listed): boolean {
  return place === 'path' && typeof name === 'string';
}
