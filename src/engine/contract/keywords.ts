const DATA = new Set(['example', 'examples', 'default', 'enum', 'const']);
const MAPS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'dependentSchemas',
  'schemas',
  'responses',
  'headers',
]);

/** Whether a member of a document is data, whatever it looks like: below `properties`, even `default` is but a name. */
export function isLiteralKeyword(key: string, parentKey: string): boolean {
  return DATA.has(key) && !MAPS.has(parentKey);
}
