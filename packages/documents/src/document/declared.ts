/** Codecs and formats that an application declares beside its document. */
export type Declared = {
  /** The media types that it has codecs for. */
  readonly codecs: readonly string[];
  /** The formats whose strings it decodes. */
  readonly formats: readonly string[];
};

export const NOTHING_DECLARED: Declared = { codecs: [], formats: [] };

/** Marks the schema of a string that the application decodes. A document cannot set it: normalization removes it. */
export const DECODED = 'x-decoded';

/** Whether the application decodes the strings of a schema. */
export function isDecoded(schema: Readonly<Record<string, unknown>>): boolean {
  return schema[DECODED] === true;
}
