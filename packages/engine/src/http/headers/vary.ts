/** Adds the name of a request header on which a response depends to the value of `Vary` (RFC 9110, 12.5.5). */
export function addVary(present: string | readonly string[] | undefined, name: string): string {
  const names = present === undefined ? [] : String(present).split(/[ \t]*,[ \t]*/);
  const isPresent = names.some((other) => other === '*' || other.toLowerCase() === name.toLowerCase());
  return [...names, ...(isPresent ? [] : [name])].join(', ');
}
