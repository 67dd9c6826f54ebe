/** Formats a table with aligned columns. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, index) => Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const format = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |\n`;
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(format).join('');
}

/** Escapes text for literal display in Markdown, on one line. */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[\\`*_{}[\]<>|~#]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('@', '&#64;') // Avoids notifications by GitHub.
    .replaceAll(/\s+/g, ' ');
}

/** Escapes text for an HTML element in Markdown. Escapes line feeds, since an empty line would end the element. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"\n]/g, (character) => `&#${String(character.charCodeAt(0))};`);
}
