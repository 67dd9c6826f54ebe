// A token of a regular expression: an escape, a class, the start of a group, a quantifier, or any other character.
const TOKEN =
  /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|[^])|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|[^]/gu;
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??$/;
const FIXED = /^\{(\d+)(?:,\1)?\}/;
const AT_MOST_ONCE = /^(?:\?|\{0,1\}|\{1\})/;
const BACKREFERENCE = /^\\(?:[1-9]|k<)/;

/** An upper bound of matching steps: `2 ** choices * length ** degree`. */
type PatternCost = { readonly degree: number; readonly choices: number };

type Group = { degree: number; choices: number; readonly atoms: string[]; isSimple: boolean };

/**
 * Estimates an upper bound of the worst-case time of a regular expression. `degree` is infinite where the time may be
 * exponential, as with a repetition of a group that can match in several ways.
 */
export function costOfPattern(pattern: string): PatternCost {
  const open: Group[] = [];
  let group = newGroup();
  let last: Group | undefined; // The group that has just been closed; a quantifier may follow.
  let degree = 0;
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (QUANTIFIER.test(token)) {
      if (group.atoms.length === 1) group.isSimple = false;
      if (last !== undefined) addRepetition(group, last, token);
      else if (FIXED.test(token)) continue;
      else if (AT_MOST_ONCE.test(token)) group.choices += 1;
      else group.degree += 1;
      last = undefined;
      continue;
    }
    if (last !== undefined) add(group, last);
    last = undefined;
    if (token.startsWith('(')) {
      group.isSimple = false;
      open.push(group);
      group = newGroup();
    } else if (token === ')') {
      last = group;
      group = open.pop() ?? newGroup();
    } else if (token === '|') {
      group.choices += 1;
      if (open.length === 0) degree = 1; // The anchor applies to the first branch only.
    } else {
      if (BACKREFERENCE.test(token)) group.degree = Infinity;
      group.atoms.push(token);
    }
  }
  if (last !== undefined) add(group, last);
  if (!pattern.startsWith('^')) degree = 1;
  return { degree: Math.max(1, group.degree + degree), choices: group.choices };
}

function newGroup(): Group {
  return { degree: 0, choices: 0, atoms: [], isSimple: true };
}

function add(group: Group, part: Group): void {
  group.degree += part.degree;
  group.choices += part.choices;
}

function addRepetition(group: Group, { degree, choices, ...rest }: Group, quantifier: string): void {
  const isPlain = degree === 0 && choices === 0;
  if (AT_MOST_ONCE.test(quantifier)) add(group, { ...rest, degree, choices: choices + 1 });
  else if (!isPlain || !FIXED.test(quantifier)) {
    const isUnambiguous = isPlain || isSeparated({ ...rest, degree, choices });
    add(group, { ...rest, degree: isUnambiguous ? 1 : Infinity, choices: 0 });
  }
}

/** Whether a group starts with a separator that the rest of it cannot match, as in `-[a-z]+`. */
function isSeparated({ degree, choices, atoms, isSimple }: Group): boolean {
  const [first = '', ...others] = atoms;
  const separator = /^\\[^\w]$/.test(first) ? first.slice(1) : first;
  if (degree > 1 || choices > 0 || !isSimple || separator.length !== 1 || /^[.^$]/.test(first)) return false;
  return others.every((atom) => !new RegExp(`^(?:${atom})$`, 'u').test(separator));
}
