/** The formats whose check in ajv-formats takes more than linear time, with checks that give the same verdicts. */
export const LINEAR_FORMATS = { url: isUrl };

const SCHEME = /^(?:https?|ftp):\/\//iu;

// The host and port of the regular expression in ajv-formats: an IPv4 address that is not private, or a name.
const LABEL = String.raw`(?:[a-z0-9\u{00a1}-\u{ffff}]+-)*[a-z0-9\u{00a1}-\u{ffff}]+`;
const ADDRESS =
  String.raw`(?!(?:10|127)(?:\.\d{1,3}){3})(?!(?:169\.254|192\.168)(?:\.\d{1,3}){2})` +
  String.raw`(?!172\.(?:1[6-9]|2\d|3[0-1])(?:\.\d{1,3}){2})(?:[1-9]\d?|1\d\d|2[01]\d|22[0-3])` +
  String.raw`(?:\.(?:1?\d{1,2}|2[0-4]\d|25[0-5])){2}(?:\.(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-4]))`;
const NAME = String.raw`(?:${LABEL})(?:\.${LABEL})*(?:\.(?:[a-z\u{00a1}-\u{ffff}]{2,}))`;
const AUTHORITY = new RegExp(String.raw`^(?:${ADDRESS}|${NAME})(?::\d{2,5})?$`, 'iu');

/**
 * Tells whether a text is a URL, as ajv-formats does. Its regular expression tries every end of the user information with
 * every host; here each part between at signs is looked at once.
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
    // What follows a host has no at sign in it before the first slash.
    const hasEnd = slash === -1 ? index === parts.length - 1 : lastSpace < start + slash;
    if (hasUser && hasEnd && AUTHORITY.test(slash === -1 ? part : part.slice(0, slash))) return true;
    start += part.length + 1;
  }
  return false;
}

/** The last white space, looked for from the end: a regular expression would start again at every one. */
function findLastSpace(text: string): number {
  let index = text.length - 1;
  while (index >= 0 && !/\s/.test(text.charAt(index))) index -= 1;
  return index;
}
