/**
 * Compiles a `pattern` with the flag `u`, so that a character beyond U+FFFF counts as one. Patterns with needless
 * escapes such as `\\-`, which are errors with `u`, are compiled without it.
 *
 * @throws {SyntaxError} if it is not an ECMAScript regular expression
 */
export function compilePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
