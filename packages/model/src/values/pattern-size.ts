// An escape, a class, the start of a group, a quantifier with its bounds, or any other character.
const TOKEN =
  /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|c[A-Za-z]|[^])|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|(?<simple>[*+?])\??|\{(?<from>\d+)(?<range>,(?<to>\d*))?\}\??|[^]/gu;

/** How often fast-check repeats a part at most, by the least number of repetitions: its sizes `small` and `xsmall`. */
export const MOST_REPETITIONS = {
  small: (least: number): number => 2 * least + 10,
  xsmall: (least: number): number => Math.floor(1.1 * least) + 1,
};

/** Alternatives of a group that is being read. */
type Group = {
  /** The length of the longest alternative before the current one. */
  longest: number;
  /** The length of the current alternative without its last part. */
  length: number;
  /** The length of the last part, which a quantifier may follow. */
  last: number;
};

/**
 * Returns the length of the longest text that fast-check generates for a regular expression. A part without characters
 * counts as one, since its repetitions are generated as well.
 */
export function patternSize(pattern: string, size: keyof typeof MOST_REPETITIONS): number {
  const outer: Group[] = [];
  let group = newGroup();
  for (const { 0: token, groups = {} } of pattern.matchAll(TOKEN)) {
    const { simple, from, range, to } = groups;
    if (simple !== undefined || from !== undefined) {
      const least = simple === '+' ? 1 : Number(from ?? 0);
      const unlimited = MOST_REPETITIONS[size](least);
      const limit =
        simple === '?' ? 1 : from === undefined || to === '' ? Infinity : Number(range === undefined ? from : to);
      group.last *= Math.min(unlimited, limit);
    } else if (token.startsWith('(')) {
      outer.push(group);
      group = newGroup();
    } else if (token === ')') {
      const length = Math.max(group.longest, group.length + group.last);
      group = outer.pop() ?? newGroup();
      addPart(group, Math.max(1, length));
    } else if (token === '|') {
      group = { ...newGroup(), longest: Math.max(group.longest, group.length + group.last) };
    } else addPart(group, 1);
  }
  return Math.max(group.longest, group.length + group.last);
}

function newGroup(): Group {
  return { longest: 0, length: 0, last: 0 };
}

function addPart(group: Group, length: number): void {
  group.length += group.last;
  group.last = length;
}
