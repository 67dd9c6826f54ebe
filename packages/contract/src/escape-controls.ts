// The C0 and C1 controls except tab and line feed (ECMA-48), the bidirectional controls and the line separators.
// oxlint-disable-next-line no-control-regex -- The characters to escape.
const STEERING = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
// Tabs, line feeds and lone surrogates.
const NOT_IN_A_LINE = /[\t\n\p{Cs}]/gu;

/**
 * Escapes the control characters of a text as JSON does, so that untrusted documents and responses cannot control the
 * terminal.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(STEERING, escapeCharacter);
}

/**
 * Escapes a text to one line: tabs, line feeds, lone surrogates and the characters that {@link escapeControls} escapes.
 */
export function escapeToLine(text: string): string {
  return escapeControls(text).replaceAll(NOT_IN_A_LINE, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
