import { LimitedPattern } from '@contract-first/documents';

// Matches an escape, a class, a group start, a quantifier with its bounds, or any other character.
const TOKEN =
  /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|c[A-Za-z]|[^])|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|(?<simple>[*+?])\??|\{(?<from>\d+)(?<range>,(?<to>\d*))?\}\??|[^]/gu;

/** fast-check's maximum number of repetitions by the minimum, for its sizes `small` and `xsmall`. */
export const MOST_REPETITIONS = {
  small: (least: number): number => 2 * least + 10,
  xsmall: (least: number): number => Math.floor(1.1 * least) + 1,
};

// fast-check looks for special texts in each repetition. The steps multiply where a repetition repeats another repetition,
// as in `([a-z]+)*`: each level takes some 20 times as long.
const LEVEL_FACTOR = 10;
// Two levels, with up to three repetitions in the inner level. They take up to 0.3 s.
const MAX_STEPS = 1 + 3 * LEVEL_FACTOR;
/** The characters that fast-check tries for classes such as `[^a-z]`. */
const TRIED = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(0x20 + index)).join('');

/** The alternatives of the current group. */
type Group = {
  /** The length of the longest previous alternative. */
  longest: number;
  /** The length of the current alternative without its last part. */
  length: number;
  /** The length of the last part, which may be followed by a quantifier. */
  last: number;
  /** The number of parts of the current alternative. */
  parts: number;
  /** The steps for the last part. */
  lastSteps: number;
  /** The steps for the previous alternatives. */
  steps: number;
};

/**
 * Returns whether fast-check generates texts for a regular expression within a second. It searches for a character in
 * `[^\s\S]` forever, needs exponential time for nested repetitions, and a table of a million characters for `\P{L}`.
 */
export function isGeneratable(pattern: string): boolean {
  const tokens = Array.from(pattern.matchAll(TOKEN), ([token]) => token);
  return (
    measure(pattern, 'small').mostSteps <= MAX_STEPS &&
    tokens.every((token) => !token.includes('\\P{')) &&
    tokens.every((token) => !token.startsWith('[^') || new LimitedPattern(token).test(TRIED))
  );
}

/** Removes assertions such as `\b` and `(?=a)` from a regular expression, since fast-check does not support them. */
export function withoutAssertions(pattern: string): string {
  let kept = '';
  let depth = 0; // The number of open groups, from the removed assertion on.
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (depth > 0) depth += token.startsWith('(') ? 1 : token === ')' ? -1 : 0;
    else if (/^\(\?<?[=!]/.test(token)) depth = 1;
    else if (!/^\\b$/i.test(token)) kept += token;
  }
  return kept;
}

/**
 * Changes the limits of one repetition in a regular expression, so that fast-check generates texts with a minimum length:
 * of the repetition of a character with the widest range, outside of groups if possible.
 */
export function withMinLength(pattern: string, minLength: number, maxLength: number): string {
  const extended = pattern.endsWith('$') ? pattern : `(?:${pattern}).*`;
  let widest = { start: 0, end: 0, least: 0, most: 0, depth: 0 };
  let depth = 0;
  let previous = '';
  for (const { 0: token, index, groups = {} } of extended.matchAll(TOKEN)) {
    const { least, most } = repetitionsOf(groups) ?? { least: 0, most: 0 };
    const isWider = most > widest.most || (most === widest.most && depth <= widest.depth);
    if (most > least && previous !== ')' && isWider)
      widest = { start: index, end: index + token.length, least, most, depth };
    depth += token.startsWith('(') ? 1 : token === ')' ? -1 : 0;
    previous = token;
  }
  const { start, end, least, most } = widest;
  if (most === 0) return pattern;
  const before = extended.slice(0, start);
  const after = extended.slice(end);
  const others = maxPatternLength(`${before}{0}${after}`, 'small');
  const from = Math.max(least, Math.min(minLength, most, maxLength - others));
  const to = Math.max(from, Math.min(most, maxLength, MOST_REPETITIONS.small(minLength)));
  return `${before}{${String(from)},${String(to)}}${after}`;
}

/**
 * Returns the maximum length of a text that fast-check generates for a regular expression. Empty parts count as one
 * character, since fast-check generates their repetitions.
 */
export function maxPatternLength(pattern: string, size: keyof typeof MOST_REPETITIONS): number {
  return measure(pattern, size).length;
}

function measure(pattern: string, size: keyof typeof MOST_REPETITIONS): { length: number; mostSteps: number } {
  const outer: Group[] = [];
  let mostSteps = 0;
  let group = newGroup();
  for (const { 0: token, groups = {} } of pattern.matchAll(TOKEN)) {
    const repetitions = repetitionsOf(groups);
    if (repetitions !== undefined) {
      group.last *= Math.min(MOST_REPETITIONS[size](repetitions.least), repetitions.most);
      group.lastSteps = 1 + LEVEL_FACTOR * group.lastSteps;
      mostSteps = Math.max(mostSteps, group.lastSteps);
    } else if (token.startsWith('(')) {
      outer.push(group);
      group = newGroup();
    } else if (token === ')') {
      const { longest, steps } = endAlternative(group);
      group = outer.pop() ?? newGroup();
      addPart(group, Math.max(1, longest), steps);
    } else if (token === '|') {
      group = { ...newGroup(), ...endAlternative(group) };
    } else addPart(group, 1, 0);
  }
  return { length: endAlternative(group).longest, mostSteps };
}

/** Returns the limits of a quantifier; `undefined` for other tokens. */
function repetitionsOf({ simple, from, range, to }: Readonly<Record<string, string | undefined>>) {
  if (simple === undefined && from === undefined) return undefined;
  const least = simple === '+' ? 1 : Number(from ?? 0);
  const most =
    simple === '?' ? 1 : from === undefined || to === '' ? Infinity : Number(range === undefined ? from : to);
  return { least, most };
}

function newGroup(): Group {
  return { longest: 0, length: 0, last: 0, parts: 0, lastSteps: 0, steps: 0 };
}

function addPart(group: Group, length: number, steps: number): void {
  group.length += group.last;
  group.last = length;
  group.parts += 1;
  group.lastSteps = steps;
}

/** Returns the longest alternative and the steps of a group. fast-check skips alternatives with several parts. */
function endAlternative({ longest, length, last, parts, lastSteps, steps }: Group): Pick<Group, 'longest' | 'steps'> {
  return { longest: Math.max(longest, length + last), steps: steps + (parts === 1 ? lastSteps : 0) };
}
