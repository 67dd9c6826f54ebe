import { getLineColLocation, type LocationObject, type Source } from '@redocly/openapi-core';
import { getAstNodeByPointer } from '@redocly/openapi-core/lib/format/codeframes.js';

type Ast = Parameters<typeof getAstNodeByPointer>[0];

const lineStartsOf = new WeakMap<Source, readonly number[]>();

/** Returns the line and column of a location, from 1. Redocly's own function reads the file up to the place each time. */
export function positionOf(location: LocationObject): { readonly line: number; readonly col: number } {
  const { source, pointer, reportOnKey = false } = location;
  if (pointer === undefined) return location.start;
  const known = lineStartsOf.get(source);
  if (known === undefined) getLineColLocation({ source, pointer: '#/', reportOnKey: true }); // Parses the file, once.
  const lineStarts = known ?? [0, ...Array.from(source.body.matchAll(/\n/g), ({ index }) => index + 1)];
  lineStartsOf.set(source, lineStarts);
  const ast = source.getAst(() => {
    throw new Error('the file has not been parsed');
  }) as Ast; // As Redocly uses it.
  const node = getAstNodeByPointer(ast, pointer, reportOnKey);
  const offset = node?.startPosition ?? 0;
  const line = lineStarts.findLastIndex((start) => start <= offset) + 1;
  return { line, col: offset - (lineStarts[line - 1] ?? 0) + 1 };
}
