/** Returns the first name that an object of a valid JSON text has twice, as JSON; `undefined` when there is none. */
export function findRepeatedMember(text: string): string | undefined {
  const open: Set<string>[] = []; // The names of each object that has not ended.
  for (const [token, name] of text.matchAll(/[{}]|("(?:[^"\\]|\\.)*")\s*(:?)/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (name !== undefined && token.endsWith(':')) {
      const key = JSON.stringify(JSON.parse(name)); // Equal names may have different escapes.
      const names = open.at(-1);
      if (names?.has(key) === true) return key;
      names?.add(key);
    }
  }
  return undefined;
}
