import {
  InvalidResponse,
  parseJsonTree,
  sequenceKindOf,
  SourceDigits,
  stringifyJson,
  type JsonTree,
} from '@contract-first/contract';
import { malformedFailure } from '../failure.ts';

/**
 * Parses a sequence of values, such as JSON Lines, to a list. Ignores blank lines.
 *
 * @throws {Failure} 400 when a value is malformed
 */
export function parseItems(text: string, mediaType: string): JsonTree {
  const kind = sequenceKindOf(mediaType);
  if (kind === 'event-stream') return { root: { '': parseEvents(text) }, sourceDigits: new SourceDigits() };
  const digits = new SourceDigits();
  const items: unknown[] = [];
  for (const record of text.split(kind === 'json-seq' ? '\x1E' : '\n')) {
    if (record.trim() === '') continue;
    try {
      items.push(parseJsonTree(record, digits).root['']);
    } catch (error) {
      const problem = (error as SyntaxError).message;
      throw malformedFailure(`body/${String(items.length)}`, `is not valid JSON: ${problem}`);
    }
    if (typeof items.at(-1) === 'number') digits.record(items, String(items.length - 1), record.trim());
  }
  return { root: { '': items }, sourceDigits: digits };
}

/**
 * Serializes one value of a sequence.
 *
 * @throws {InvalidResponse} when the value cannot be a server-sent event
 */
export function formatItem(mediaType: string, item: unknown): string {
  const kind = sequenceKindOf(mediaType);
  if (kind === 'event-stream') return formatEvent(item);
  return `${kind === 'json-seq' ? '\x1E' : ''}${stringifyJson(item)}\n`;
}

/** Parses server-sent events to objects (HTML, 9.2.6). The data of an event may have several lines. */
function parseEvents(text: string): readonly object[] {
  const blocks = text.replaceAll(/\r\n?/g, '\n').split(/\n{2,}/);
  const events = blocks.map((lines) => {
    const event: { data?: string; event?: string; id?: string; retry?: number } = {};
    for (const line of lines.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (name === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`;
      else if (name === 'event' || name === 'id') event[name] = value;
      else if (name === 'retry') event.retry = Number(value);
    }
    return event;
  });
  return events.filter((event) => Object.keys(event).length > 0);
}

/** Serializes an object with the members `data`, `event`, `id` and `retry` as a server-sent event. */
function formatEvent(item: unknown): string {
  const { data, event, id, retry } = item as Readonly<Record<string, unknown>>; // Validated before.
  const single = Object.entries({ event, id, retry }).filter(([, value]) => value !== undefined);
  const lines = single.map(([name, value]) => `${name}: ${String(value)}\n`);
  if (single.some(([, value]) => /[\r\n\0]/.test(String(value))))
    throw new InvalidResponse('the event and the id of a server-sent event must be one line');
  // The schema may allow types other than strings; their values are sent as JSON.
  const text = typeof data === 'string' ? data : stringifyJson(data);
  const dataLines = data === undefined ? [] : text.split(/\r\n|\r|\n/);
  return `${lines.join('')}${dataLines.map((line) => `data: ${line}\n`).join('')}\n`;
}
