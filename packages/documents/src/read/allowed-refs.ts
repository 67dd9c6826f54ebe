/** The kinds of files outside the folder of the document that `$ref`s may be allowed to name. */
const OUTSIDE = ['files', 'http'] as const;
type Outside = (typeof OUTSIDE)[number];
export type AllowedRefs = ReadonlySet<Outside>;

/** The default: references stay in the folder of the document. */
export const NO_OUTSIDE: AllowedRefs = new Set();

/** The command-line option, for `parseArgs`. */
export const ALLOW_REFS = { 'allow-refs': { type: 'string', multiple: true } } as const;

/**
 * Parses the values of `--allow-refs`: `files`, `http`, or both, separated by a comma.
 *
 * @throws for other values
 */
export function readAllowedRefs(values: readonly string[] = []): AllowedRefs {
  const words = values.flatMap((value) => value.split(',')).map((word) => word.trim());
  const isKnown = (word: string): word is Outside => OUTSIDE.some((outside) => outside === word);
  const unknown = words.find((word) => !isKnown(word));
  if (unknown !== undefined) throw new Error(`--allow-refs must be ${OUTSIDE.join(' or ')}, not "${unknown}"`);
  return new Set(words.filter(isKnown));
}
