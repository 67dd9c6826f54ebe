/** The codecs and formats that an application declares in addition to its document. */
export type Declared = {
  /** The media types with codecs. */
  readonly codecs: readonly string[];
  /** The formats whose strings the application decodes. */
  readonly formats: readonly string[];
};

export const NOTHING_DECLARED: Declared = { codecs: [], formats: [] };

/**
 * Marks the schema of a string that the application decodes. Documents cannot set it: normalization removes
 * this keyword.
 */
export const DECODED = 'x-decoded';

/** Returns whether the application decodes the strings of a schema. */
export function isDecoded(schema: Readonly<Record<string, unknown>>): boolean {
  return schema[DECODED] === true;
}
