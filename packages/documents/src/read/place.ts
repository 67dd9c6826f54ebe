import { unescapePointer } from '@contract-first/contract';
import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE } from 'js-yaml';

/** A member of a mapping, or an item: the offset of its key or of the item, and the index of the event of its value. */
type Member = { readonly place: number; readonly index: number };

/** The lines and columns of the parts of a YAML text, by JSON pointer. */
export class Places {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #lines: readonly number[];
  /** The members of the mappings and sequences that were read, by the index of their events. */
  readonly #members = new Map<number, ReadonlyMap<string, Member>>();

  /** @param text a valid YAML text */
  constructor(text: string) {
    this.#text = text;
    this.#events = parseEvents(text, {});
    this.#lines = [...text.matchAll(/^/gm)].map(({ index }) => index);
  }

  /** Returns the place of the key or the item at a JSON pointer, or of its closest parent that exists. */
  of(pointer: string): { readonly line: number; readonly column: number } {
    let index = this.#events[0]?.type === EVENT_ID.DOCUMENT ? 1 : 0;
    let place = startOf(this.#events[index]);
    for (const step of pointer.split('/').slice(1)) {
      const token = unescapePointer(step);
      const members = this.#membersOf(index);
      const merged = members.get('<<');
      const member = members.get(token) ?? (merged && this.#membersOf(merged.index).get(token));
      if (member === undefined) break;
      ({ place, index } = member);
    }
    const line = this.#lineOf(place);
    return { line: line + 1, column: place - (this.#lines[line] ?? 0) + 1 };
  }

  /** Returns the members of a mapping or a sequence; none for a scalar. */
  #membersOf(index: number): ReadonlyMap<string, Member> {
    const members = this.#members.get(index) ?? this.#readMembers(index);
    this.#members.set(index, members);
    return members;
  }

  #readMembers(start: number): ReadonlyMap<string, Member> {
    const members = new Map<string, Member>();
    const holder = this.#events[start];
    if (holder?.type === EVENT_ID.ALIAS) return this.#membersOf(this.#anchorOf(start));
    if (holder?.type !== EVENT_ID.MAPPING && holder?.type !== EVENT_ID.SEQUENCE) return members;
    let index = start + 1;
    for (let position = 0; !this.#isEnd(index); position += 1) {
      const first = this.#events[index];
      const isKeyed = holder.type === EVENT_ID.MAPPING;
      const name = isKeyed && first?.type === EVENT_ID.SCALAR ? getScalarValue(this.#text, first) : String(position);
      if (isKeyed) index = this.#endOf(index);
      members.set(name, { place: startOf(first), index });
      index = this.#endOf(index);
    }
    return members;
  }

  #isEnd(index: number): boolean {
    return index >= this.#events.length || this.#events[index]?.type === EVENT_ID.POP;
  }

  /** Returns the index after the events of a node. */
  #endOf(start: number): number {
    let index = start;
    let depth = 0;
    do {
      const type = this.#events[index]?.type;
      if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth += 1;
      else if (type === EVENT_ID.POP) depth -= 1;
      index += 1;
    } while (depth > 0 && index < this.#events.length);
    return index;
  }

  /** Returns the index of the node that an alias stands for: the last one before it with the anchor. */
  #anchorOf(alias: number): number {
    const name = this.#anchorName(alias);
    return this.#events.findLastIndex(
      (event, index) => index < alias && event.type !== EVENT_ID.ALIAS && this.#anchorName(index) === name,
    );
  }

  #anchorName(index: number): string | undefined {
    const event = this.#events[index];
    if (event === undefined || !('anchorStart' in event) || event.anchorStart === -1) return undefined;
    return this.#text.slice(event.anchorStart, event.anchorEnd);
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

function startOf(event: Event | undefined): number {
  if (event === undefined) return 0;
  if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) return event.start;
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart - 1;
  if (event.type !== EVENT_ID.SCALAR) return 0;
  const isQuoted = event.style === SCALAR_STYLE.DOUBLE_QUOTED || event.style === SCALAR_STYLE.SINGLE_QUOTED;
  return isQuoted ? event.valueStart - 1 : event.valueStart;
}
