// Node compiles 1 MiB of regular expression in 0.3 s, and nothing can interrupt it.
const MAX_REGEX_CHARS = 65_536;

/** Replacements for formats of ajv-formats. */
export const FORMATS = { regex: isRegex };

/** Whether a text of limited length is a regular expression. */
function isRegex(text: string): boolean {
  if (text.length > MAX_REGEX_CHARS || /[^\\]\\Z/.test(text)) return false;
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

/** The methods of Ajv used here. */
type FormatRegistry = {
  readonly formats: Readonly<Record<string, unknown>>;
  addFormat(name: string, format: { readonly validate: (text: string) => boolean }): unknown;
};

// ajv-formats splits the text at each separator, which takes 0.1 s for 1 MiB of them.
const TIMESTAMP = /^.{10}[t\s][^t\s]*$/i;

/** Makes the formats of timestamps reject a text without exactly one separator before they parse it. */
export function limitTimestamps(ajv: FormatRegistry): void {
  for (const name of ['date-time', 'iso-date-time']) {
    const { validate, ...format } = ajv.formats[name] as { readonly validate: (text: string) => boolean };
    ajv.addFormat(name, { ...format, validate: (text: string) => TIMESTAMP.test(text) && validate(text) });
  }
}
