/**
 * Compiles a `pattern`. With the flag `u`, a character beyond U+FFFF counts as one, but `\\-` and other needless escapes are
 * errors: patterns with them are compiled without it.
 *
 * @throws {SyntaxError} when it is not a regular expression of ECMAScript
 */
export function compilePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
