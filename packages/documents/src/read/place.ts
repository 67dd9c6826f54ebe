import { unescapePointer } from '@contract-first/contract';
import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE } from 'js-yaml';

/** A part of a text, with its offset. */
type Part = {
  readonly start: number;
  /** The members of a mapping or sequence, with the offset of their key, or of the item. */
  readonly members: Map<string, { readonly place: number; readonly part: Part }>;
};

/** The lines and columns of the parts of a YAML text, by JSON pointer. */
export class Places {
  readonly #root: Part;
  readonly #lines: readonly number[];

  /** @param text a valid YAML text */
  constructor(text: string) {
    this.#root = readParts(parseEvents(text, {}), text);
    this.#lines = [...text.matchAll(/^/gm)].map(({ index }) => index);
  }

  /** Returns the place of the key or the item at a JSON pointer, or of its closest parent that exists. */
  of(pointer: string): { readonly line: number; readonly column: number } {
    let part = this.#root;
    let place = part.start;
    for (const step of pointer.split('/').slice(1)) {
      const token = unescapePointer(step);
      const member = part.members.get(token) ?? part.members.get('<<')?.part.members.get(token);
      if (member === undefined) break;
      ({ place, part } = member);
    }
    const line = this.#lineOf(place);
    return { line: line + 1, column: place - (this.#lines[line] ?? 0) + 1 };
  }

  /** Returns the index of the line with an offset. Halves the range, since a document may have many lines and warnings. */
  #lineOf(place: number): number {
    let [first, end] = [0, this.#lines.length];
    while (end - first > 1) {
      const middle = (first + end) >> 1;
      if ((this.#lines[middle] ?? 0) <= place) first = middle;
      else end = middle;
    }
    return first;
  }
}

function readParts(events: readonly Event[], text: string): Part {
  const anchors = new Map<string, Part>();
  let index = events[0]?.type === EVENT_ID.DOCUMENT ? 1 : 0;
  return read();

  function read(): Part {
    const event = events[index];
    index += 1;
    const part: Part = { start: event === undefined ? 0 : startOf(event), members: new Map() };
    if (event === undefined || event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP) return part;
    if (event.type === EVENT_ID.ALIAS) {
      const { members } = anchors.get(text.slice(event.anchorStart, event.anchorEnd)) ?? part;
      return { start: part.start, members };
    }
    if (event.anchorStart !== -1) anchors.set(text.slice(event.anchorStart, event.anchorEnd), part);
    if (event.type === EVENT_ID.SCALAR) return part;
    for (let position = 0; index < events.length && events[index]?.type !== EVENT_ID.POP; position += 1) {
      const key = events[index];
      const isKeyed = event.type === EVENT_ID.MAPPING && key !== undefined;
      const place = isKeyed ? read().start : undefined;
      const name = isKeyed && key.type === EVENT_ID.SCALAR ? getScalarValue(text, key) : String(position);
      const member = read();
      part.members.set(name, { place: place ?? member.start, part: member });
    }
    index += 1;
    return part;
  }
}

function startOf(event: Event): number {
  if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) return event.start;
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart - 1;
  if (event.type !== EVENT_ID.SCALAR) return 0;
  const isQuoted = event.style === SCALAR_STYLE.DOUBLE_QUOTED || event.style === SCALAR_STYLE.SINGLE_QUOTED;
  return isQuoted ? event.valueStart - 1 : event.valueStart;
}
