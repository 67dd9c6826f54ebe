import { escapePointer, parseJson } from '@contract-first/contract';
import type { Diagnostic } from './diagnostic.ts';

// TypeScript 5.9 does not declare "JSON.parse source text access" (ECMAScript 2026).
const { isRawJSON, rawJSON } = JSON as typeof JSON & {
  readonly isRawJSON: (value: unknown) => value is { readonly rawJSON: string };
  readonly rawJSON: (text: string) => { readonly rawJSON: string };
};

/**
 * Returns a number, or the digits of its source as raw JSON if the number differs from its source, as for
 * 9223372036854775807 and -0: `JSON.stringify` prints raw JSON unchanged.
 *
 * @param source a number in YAML
 */
export function exactNumber(number: number, source: string): unknown {
  if (!MAY_BE_INEXACT.test(source)) return number;
  const digits = /^[-+]?0[xo]/.test(source) ? readInteger(source) : source;
  const value = decimalOf(digits);
  return value === undefined || value === decimalOf(String(number)) ? number : rawJSON(toJson(digits));
}

/** Returns whether a value is a number with more digits than a double has. */
export const isRawNumber = isRawJSON;

/**
 * Copies a value of JSON, with numbers as `parseJson` reads them: bigints for unsafe integers, else doubles. A number
 * beyond the range of a double becomes the nearest double, with a warning. Limits keep their meaning, since requests
 * and responses with such numbers are refused.
 */
export function readNumbers(root: unknown): { readonly value: unknown; readonly warnings: readonly Diagnostic[] } {
  const path: string[] = [];
  const warnings: Diagnostic[] = [];
  return { value: copy(root), warnings };

  function copy(node: unknown): unknown {
    if (typeof node === 'number' && Number.isSafeInteger(node)) return node;
    if (typeof node === 'number' || isRawNumber(node)) return withinRange(parseJson(JSON.stringify(node)));
    if (typeof node !== 'object' || node === null) return node;
    const copied = (Array.isArray(node) ? [...(node as readonly unknown[])] : { ...node }) as Record<string, unknown>;
    for (const key of Object.keys(copied)) {
      path.push(key);
      copied[key] = copy(copied[key]);
      path.pop();
    }
    return copied;
  }

  function withinRange(number: unknown): unknown {
    const double = Number(number);
    if (Number.isFinite(double)) return number;
    const nearest = Math.sign(double) * Number.MAX_VALUE;
    const message = `a number is beyond the range of a double, and is read as ${String(nearest)}`;
    warnings.push({ pointer: `#${path.map((name) => `/${escapePointer(name)}`).join('')}`, message });
    return nearest;
  }
}

// A double has at least 15 digits.
const MAY_BE_INEXACT = /.{16}|[eE]|^0[xo]|^-/;

function readInteger(source: string): string {
  const [, sign = '', digits = ''] = /^([-+]?)(.*)$/.exec(source) ?? [];
  return (sign === '-' ? '-' : '') + String(BigInt(digits));
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
