/** Replacements for formats whose check in ajv-formats takes too long. Their results are the same. */
export const LINEAR_FORMATS = { url: isUrl, regex: isRegex };

const SCHEME = /^(?:https?|ftp):\/\//iu;

// Host and port as in ajv-formats: a public IPv4 address, or a name.
const LABEL = String.raw`(?:[a-z0-9\u{00a1}-\u{ffff}]+-)*[a-z0-9\u{00a1}-\u{ffff}]+`;
const ADDRESS =
  String.raw`(?!(?:10|127)(?:\.\d{1,3}){3})(?!(?:169\.254|192\.168)(?:\.\d{1,3}){2})` +
  String.raw`(?!172\.(?:1[6-9]|2\d|3[0-1])(?:\.\d{1,3}){2})(?:[1-9]\d?|1\d\d|2[01]\d|22[0-3])` +
  String.raw`(?:\.(?:1?\d{1,2}|2[0-4]\d|25[0-5])){2}(?:\.(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-4]))`;
const NAME = String.raw`(?:${LABEL})(?:\.${LABEL})*(?:\.(?:[a-z\u{00a1}-\u{ffff}]{2,}))`;
const AUTHORITY = new RegExp(String.raw`^(?:${ADDRESS}|${NAME})(?::\d{2,5})?$`, 'iu');

/**
 * Whether a text is a URL, as defined by ajv-formats. Its regular expression combines every end of the userinfo with
 * every host; this function checks each part between at signs once.
 */
function isUrl(text: string): boolean {
  const scheme = SCHEME.exec(text)?.[0];
  if (scheme === undefined) return false;
  const rest = text.slice(scheme.length);
  const firstSpace = rest.search(/\s/);
  const lastSpace = findLastSpace(rest);
  const parts = rest.split('@');
  let start = 0;
  for (const [index, part] of parts.entries()) {
    const slash = part.indexOf('/');
    const hasUser = index === 0 || (start > 1 && (firstSpace === -1 || firstSpace >= start));
    // Before the first slash, only the userinfo may contain an at sign.
    const hasEnd = slash === -1 ? index === parts.length - 1 : lastSpace < start + slash;
    if (hasUser && hasEnd && AUTHORITY.test(slash === -1 ? part : part.slice(0, slash))) return true;
    start += part.length + 1;
  }
  return false;
}

/** Finds the last white space, from the end: a regular expression would restart at each match. */
function findLastSpace(text: string): number {
  let index = text.length - 1;
  while (index >= 0 && !/\s/.test(text.charAt(index))) index -= 1;
  return index;
}

// Node compiles 1 MiB of regular expression in 0.3 s, and nothing can interrupt it.
const MAX_REGEX_CHARS = 65_536;

/** Returns whether a text of limited length is a regular expression, as ajv-formats does. */
function isRegex(text: string): boolean {
  if (text.length > MAX_REGEX_CHARS || /[^\\]\\Z/.test(text)) return false;
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
