// Controls of C0 and C1 but tab and line feed (ECMA-48), and the characters that change the direction of text or break lines.
// eslint-disable-next-line no-control-regex -- The characters to escape.
const STEERING = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
// Tabs and line feeds, and the halves of surrogate pairs.
const NOT_IN_A_LINE = /[\t\n\p{Cs}]/gu;

/**
 * Escapes the characters of a text that would steer a terminal, as in JSON. Documents and answers may contain any
 * character.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(STEERING, escapeCharacter);
}

/** Returns a text as one line: escapes tabs, line feeds and lone surrogates besides the characters of {@link escapeControls}. */
export function escapeToLine(text: string): string {
  return escapeControls(text).replaceAll(NOT_IN_A_LINE, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
