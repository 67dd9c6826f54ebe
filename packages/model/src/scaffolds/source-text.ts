import { escapeControls, stringifyJson } from '@contract-first/contract';
import type { Json } from '../values/json-value.ts';

// Leaves room for the text before and after a literal in a line of 120 characters.
const LINE_LENGTH = 90;

/** Returns the source text of a string in single quotes. */
export function quote(text: string): string {
  // U+2028 would end a line of the literal.
  const escaped = escapeControls(JSON.stringify(text).slice(1, -1));
  return `'${escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Renders an object literal from its members. */
export function renderObject(members: readonly string[]): string {
  return members.length === 0 ? '{}' : enclose('{ ', members, ' }');
}

/** Returns the source text of a scalar. */
export function renderLiteral(value: Json): string {
  return typeof value === 'string' ? quote(value) : stringifyJson(value);
}

/** Renders an object literal from the names and the texts of its members. */
export function renderMembers(members: readonly (readonly [name: string, text: string])[]): string {
  const parts = members.map(([name, text]) => {
    if (name === text && /^(?:status|message|place)$/.test(name)) return name;
    // As a plain key, __proto__ would set the prototype.
    const key = name === '__proto__' ? "['__proto__']" : /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
    return `${key}: ${text}`;
  });
  return renderObject(parts);
}

/** Renders an array literal from its items. A list of arrays or objects has a line for each. */
export function renderArray(items: readonly string[]): string {
  return enclose('[', items, ']', items.length > 1 && items.every((item) => /^[[{]/.test(item)));
}

/** Indents the lines of a source text, in which no literal has several lines. */
export function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

/** Puts parts on one line if that is short, else each on its own. */
function enclose(open: string, parts: readonly string[], close: string, isBroken = false): string {
  const line = open + parts.join(', ') + close;
  const isShort = line.length <= LINE_LENGTH && !line.includes('\n');
  return isShort && !isBroken
    ? line
    : `${open.trim()}\n${indent(parts.map((part) => `${part},\n`).join(''))}${close.trim()}`;
}
