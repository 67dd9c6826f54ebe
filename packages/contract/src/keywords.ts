const DATA = new Set(['example', 'examples', 'default', 'enum', 'const']);
const MAPS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'dependentSchemas',
  'dependentRequired',
  'schemas',
  'responses',
  'headers',
]);

/** Whether a member of a document is data rather than schemas. Below `properties`, `default` is the name of a property. */
export function isLiteralKeyword(key: string, parentKey: string): boolean {
  return DATA.has(key) && !MAPS.has(parentKey);
}

/** Whether a member of a document is an extension. Below `properties`, `x-rays` is the name of a property. */
export function isExtension(key: string, parentKey: string): boolean {
  return key.startsWith('x-') && !MAPS.has(parentKey);
}
