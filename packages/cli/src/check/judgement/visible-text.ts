import { escapeToLine } from '@contract-first/contract';

const MAX_CHARS = 2_000;
/** Returns a text as one line with control characters escaped. A long text is cut. */
export function visibleText(text: string): string {
  if (text.length <= MAX_CHARS) return escapeToLine(text);
  const beginning = Buffer.from(text.slice(0, MAX_CHARS)).toString(); // A slice would keep the whole text in memory.
  return `${escapeToLine(beginning)}… (${String(text.length)} characters)`;
}
