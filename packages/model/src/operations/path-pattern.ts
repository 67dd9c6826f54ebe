/**
 * Returns a pattern for the paths that match a template, such as `/things/{id}` or `/things/{}`.
 *
 * @param parameter the source of the pattern of a parameter
 */
export function pathPattern(template: string, parameter = '[^/]+'): RegExp {
  const parts = template.split(/\{[^{}]*\}/).map((text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  return new RegExp(`^${parts.join(parameter)}$`);
}
