/** Returns the first name that an object of a valid JSON text has twice, as JSON; `undefined` when there is none. */
export function findRepeatedMember(text: string): string | undefined {
  const open: Set<string>[] = []; // The names of each object that has not ended.
  let start: number | undefined; // Of the string that has not ended.
  // A single expression for a whole string would overflow the stack on a long one.
  for (const { 0: token, index } of text.matchAll(/\\.|["{}]/g)) {
    if (start !== undefined) {
      if (token !== '"') continue;
      const name = text.slice(start, index + 1);
      start = undefined;
      COLON.lastIndex = index + 1;
      if (!COLON.test(text)) continue;
      const key = JSON.stringify(JSON.parse(name)); // Equal names may have different escapes.
      const names = open.at(-1);
      if (names?.has(key) === true) return key;
      names?.add(key);
    } else if (token === '"') start = index;
    else if (token === '{') open.push(new Set());
    else open.pop();
  }
  return undefined;
}

const COLON = /\s*:/y;
