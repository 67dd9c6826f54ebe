import { escapePointer } from '@contract-first/contract';
import { operationMember, operationsOf, type PathItem } from '../document/document.ts';
import { dereference, type OpenApiDocument, resolvePathItem } from '../document/reference.ts';
import { uncallableReason } from '../read/unreachable-operations.ts';
import { walkDocument } from '../document/walk.ts';
import type { Diagnostic } from '../read/diagnostic.ts';

type Listed = { readonly in?: unknown; readonly name?: unknown; readonly pointer: string };

/**
 * Finds parameters that a list has twice, path parameters that their paths do not have, and paths with nameless parameters.
 *
 * @param document may be invalid; its references are not circular
 */
export function findParameterProblems(document: OpenApiDocument): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  walkDocument(
    document,
    ({ node, pointer }) => {
      const seen = new Set<string>();
      for (const { in: place, name, pointer: own } of parametersIn(document, node, pointer)) {
        const key = `${String(place)} ${String(name)}`;
        if (seen.has(key))
          found.push({ pointer: own, message: `the ${String(place)} parameter ${String(name)} is listed twice` });
        seen.add(key);
      }
    },
    ['pathItem', 'operation'],
  );
  for (const [path, item] of Object.entries(Object(document['paths']) as object)) {
    if (isCallable(path)) checkPath(path, resolvePathItem(document, item), `#/paths/${escapePointer(path)}`);
  }
  return found;

  function checkPath(path: string, pathItem: PathItem, pointer: string): void {
    if (namesOf(path).includes('')) found.push({ pointer, message: 'a parameter of a path needs a name: {} has none' });
    const shared = parametersIn(document, pathItem, pointer).filter(isInPath);
    const isUnknown = ({ name }: Listed): boolean => !path.includes(`{${String(name)}}`);
    const reportUnknown = ({ name, pointer: own }: Listed): void =>
      void found.push({ pointer: own, message: `the path has no {${String(name)}}` });
    shared.filter(isUnknown).forEach(reportUnknown);
    for (const [method, operation] of operationsOf(pathItem)) {
      const own = parametersIn(document, operation, `${pointer}/${operationMember(method)}`).filter(isInPath);
      own.filter(isUnknown).forEach(reportUnknown);
    }
  }
}

/**
 * Describes the parameters of paths that an operation does not describe: as strings, which every part of a path is.
 *
 * @param document may be invalid; its references are not circular; is modified
 *
 * @returns a warning for each of these operations
 */
export function describePathParameters(document: OpenApiDocument): readonly Diagnostic[] {
  const operations: string[] = [];
  const paths = Object(document['paths']) as Record<string, unknown>;
  for (const [path, item] of Object.entries(paths)) {
    const pathItem = resolvePathItem(document, item);
    const { parameters = [] } = pathItem;
    if (!isCallable(path) || !Array.isArray(parameters)) continue;
    const shared = namesIn(document, pathItem);
    const missing = new Set<string>();
    for (const [method, operation] of operationsOf(pathItem)) {
      const described = new Set([...shared, ...namesIn(document, operation)]);
      const others = namesOf(path).filter((name) => name !== '' && !described.has(name));
      if (others.length > 0) operations.push(`#/paths/${escapePointer(path)}/${operationMember(method)}`);
      for (const name of others) missing.add(name);
    }
    const added = Array.from(missing, (name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
    if (added.length > 0) paths[path] = { ...(item as object), parameters: [...(parameters as unknown[]), ...added] };
  }
  const message = 'a parameter of the path is not described, and is read as a string: add it to parameters';
  return operations.map((pointer) => ({ pointer, message }));
}

function parametersIn(document: OpenApiDocument, node: unknown, pointer: string): readonly Listed[] {
  const { parameters } = Object(node) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(parameters)) return [];
  return parameters.map((parameter: unknown, index) => {
    const { in: place, name } = Object(dereference(document, parameter)) as Partial<Listed>;
    return { in: place, name, pointer: `${pointer}/parameters/${String(index)}` };
  });
}

function namesIn(document: OpenApiDocument, node: unknown): readonly unknown[] {
  const inPath = parametersIn(document, node, '').filter(isInPath);
  return inPath.map(({ name }) => name);
}

/** Returns the names in a path template. */
function namesOf(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
}

function isCallable(path: string): boolean {
  return path.startsWith('/') && uncallableReason(path) === undefined;
}

function isInPath({ in: place, name }: Listed): boolean {
  return place === 'path' && typeof name === 'string';
}
