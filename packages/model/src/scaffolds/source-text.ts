import { escapeControls, stringifyJson } from '@contract-first/contract';
import type { Json } from '../values/json-value.ts';

// Leaves space for text around a literal in a line of 120 characters.
const LINE_LENGTH = 90;

/** Renders a string literal in single quotes. */
export function quoteString(text: string): string {
  // Escapes line separators such as U+2028, too.
  const escaped = escapeControls(JSON.stringify(text).slice(1, -1));
  return `'${escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Renders an object literal from its members. */
export function renderObject(members: readonly string[]): string {
  return members.length === 0 ? '{}' : enclose('{ ', members, ' }');
}

/** Renders a scalar literal. */
export function renderLiteral(value: Json): string {
  return typeof value === 'string' ? quoteString(value) : stringifyJson(value);
}

/** Renders an object literal from the names and source texts of its members. */
export function renderMembers(members: readonly (readonly [name: string, text: string])[]): string {
  const parts = members.map(([name, text]) => {
    if (name === text && /^(?:status|message|place)$/.test(name)) return name;
    // A plain key `__proto__` would set the prototype.
    const key = name === '__proto__' ? "['__proto__']" : /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoteString(name);
    return `${key}: ${text}`;
  });
  return renderObject(parts);
}

/** Renders an array literal from its items. Arrays and objects are on separate lines. */
export function renderArray(items: readonly string[]): string {
  return enclose('[', items, ']', items.length > 1 && items.every((item) => /^[[{]/.test(item)));
}

/** Indents the lines of a source text without multi-line literals. */
export function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

/** Joins parts on one line if it is short enough, else on separate lines. */
function enclose(open: string, parts: readonly string[], close: string, isBroken = false): string {
  const line = open + parts.join(', ') + close;
  const isShort = line.length <= LINE_LENGTH && !line.includes('\n');
  return isShort && !isBroken
    ? line
    : `${open.trim()}\n${indent(parts.map((part) => `${part},\n`).join(''))}${close.trim()}`;
}
