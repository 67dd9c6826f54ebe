import { essenceOf, sequenceKindOf, stringifyJson } from '@contract-first/contract';
import { isArray, isObject, type Json } from '@contract-first/model/values';

/** Serializes a value for a non-JSON media type: a string unchanged, events, lines, XML, CSV, or else JSON. */
export function writeText(mediaType: string, value: Json): string {
  const sequence = sequenceKindOf(mediaType);
  if (sequence === 'event-stream') return toEvents(value);
  if (typeof value === 'string') return value;
  if (sequence !== undefined) return toLines(value, sequence === 'json-seq' ? RECORD_SEPARATOR : '');
  const essence = essenceOf(mediaType);
  if (/[/+]xml$/.test(essence)) return `<?xml version="1.0" encoding="UTF-8"?>\n${toXml('root', value)}`;
  return essence === 'text/csv' ? toCsv(value) : stringifyJson(value);
}

const RECORD_SEPARATOR = '\u001e';

/** Writes each item as an event with its data. A text with fields of events, such as an example, is already written. */
function toEvents(value: Json): string {
  if (typeof value === 'string' && /^(?:data|event|id|retry)?:/m.test(value)) return value;
  const lines = [value].flat().map((item) => scalarText(item).split(/\r\n|\r|\n/));
  return lines.map((data) => `${data.map((line) => `data: ${line}\n`).join('')}\n`).join('');
}

function toLines(value: Json, prefix: string): string {
  return [value]
    .flat()
    .map((item) => `${prefix}${stringifyJson(item)}\n`)
    .join('');
}

function toXml(name: string, value: Json): string {
  const tag = name.replace(/^[^A-Za-z_]/, '_').replaceAll(/[^\w.-]/g, '_');
  const inside = isArray(value)
    ? value.map((item) => toXml('item', item)).join('')
    : isObject(value)
      ? Object.entries(value)
          .map(([key, member]) => toXml(key, member))
          .join('')
      : scalarText(value).replaceAll(/[&<>]/g, (character) => `&#${String(character.charCodeAt(0))};`);
  return `<${tag}>${inside}</${tag}>`;
}

function toCsv(value: Json): string {
  const rows = isArray(value) ? value : [value];
  const names = [...new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))];
  const cells = rows.map((row) => (isObject(row) ? names.map((name) => row[name] ?? null) : [row].flat()));
  const lines = names.length === 0 ? cells : [names, ...cells];
  return lines.map((line) => `${line.map((cell) => quote(scalarText(cell))).join(',')}\r\n`).join('');
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function scalarText(value: Json): string {
  return typeof value === 'string' ? value : value === null ? '' : stringifyJson(value);
}
