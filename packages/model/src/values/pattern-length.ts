// Matches an escape, a class, a group start, a quantifier with its bounds, or any other character.
const TOKEN =
  /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|c[A-Za-z]|[^])|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|(?<simple>[*+?])\??|\{(?<from>\d+)(?<range>,(?<to>\d*))?\}\??|[^]/gu;

/** fast-check's maximum number of repetitions by the minimum, for its sizes `small` and `xsmall`. */
export const MOST_REPETITIONS = {
  small: (least: number): number => 2 * least + 10,
  xsmall: (least: number): number => Math.floor(1.1 * least) + 1,
};

/** The alternatives of the current group. */
type Group = {
  /** The length of the longest previous alternative. */
  longest: number;
  /** The length of the current alternative without its last part. */
  length: number;
  /** The length of the last part, which may be followed by a quantifier. */
  last: number;
};

/**
 * Returns the maximum length of a text that fast-check generates for a regular expression. Empty parts count as one
 * character, since fast-check generates their repetitions.
 */
export function maxPatternLength(pattern: string, size: keyof typeof MOST_REPETITIONS): number {
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
