/** Marks the schema of a string that the application decodes. A document cannot set it: normalization removes it. */
export const DECODED = 'x-decoded';

/** Whether the application decodes the strings of a schema. */
export function isDecoded(schema: Readonly<Record<string, unknown>>): boolean {
  return schema[DECODED] === true;
}
