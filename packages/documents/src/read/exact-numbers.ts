import { parseDocument, visit } from 'yaml';

const MARK = '\uE001'; // A private use character, which no string in a document starts with.

// Matches numbers that a double may not represent, and possibly text that looks like numbers.
const MAY_BE_INEXACT =
  /(?<=^|[\s,:[{])(?:[-+]?(?:[\d.]{16,}|[\d.]+[eE][-+]?\d+)|0x[\da-fA-F]{12,}|0o[0-7]{12,}|-0)(?=[\s,\]}]|$)/gm;

/**
 * Replaces numbers in a JSON or YAML text that a double would change, such as 9223372036854775807 and -0, with marked
 * strings, to preserve their digits during parsing.
 */
export function quoteInexactNumbers(text: string): string {
  const candidates = text.match(MAY_BE_INEXACT) ?? [];
  if (!candidates.some((number) => quote(number) !== undefined)) return text;
  return isJson(text) ? quoteInJson(text) : quoteInYaml(text);
}

/** Replaces the marked strings in a JSON text with numbers. */
export function unquoteNumbers(json: string): string {
  return json.replaceAll(/"\uE001([^"]*)"/g, '$1');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function quoteInJson(text: string): string {
  let isString = false;
  return text.replaceAll(/\\[^]|"|-?\d[\d.eE+-]*/g, (token) => {
    if (token === '"') isString = !isString;
    return isString || token === '"' ? token : (quote(token) ?? token);
  });
}

function quoteInYaml(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  visit(parseDocument(text, { logLevel: 'silent', uniqueKeys: false }), {
    Scalar(key, { value, source, range }) {
      if (key === 'key' || typeof value !== 'number' || !range) return;
      const quoted = quote(source ?? '');
      if (quoted === undefined) return;
      parts.push(text.slice(copied, range[0]), quoted);
      copied = range[1];
    },
  });
  return parts.join('') + text.slice(copied);
}

/** Returns a marked string for a number that a double would change; else `undefined`. */
function quote(source: string): string | undefined {
  const digits = /^0[xo]/.test(source) ? String(BigInt(source)) : source;
  const value = decimalOf(digits);
  return value === undefined || value === decimalOf(String(Number(digits))) ? undefined : `"${MARK}${toJson(digits)}"`;
}

/** Returns the canonical sign, significant digits and exponent of a number. */
function decimalOf(number: string): string | undefined {
  const match = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/.exec(number);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const power = BigInt(exponent) + BigInt(digits.length - significant.length - fraction.length);
  return `${sign === '-' ? '-' : ''}${significant === '' ? '0' : `${significant}e${String(power)}`}`;
}

/** Converts a YAML number to JSON: `+.5` becomes `0.5`. */
function toJson(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = ''] = /^([-+]?)0*(\d*)\.?(\d*)(.*)$/.exec(number) ?? [];
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction && `.${fraction}`}${exponent}`;
}
