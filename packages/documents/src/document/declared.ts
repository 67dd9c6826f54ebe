/** What an application declares beside its document. */
export type Declared = {
  /** The media types that it has codecs for. */
  readonly codecs: readonly string[];
  /** The formats whose strings it decodes. */
  readonly formats: readonly string[];
};

export const NOTHING_DECLARED: Declared = { codecs: [], formats: [] };
