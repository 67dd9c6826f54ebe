/** A fault in one response or in a sequence of responses. */
export type Defect = {
  /** Describes this occurrence, including values of the request and the response. */
  readonly message: string;
  /** Identifies occurrences with the same fix. Includes no values. */
  readonly cause: string;
  /** The kind of harm; defaults to the category of the check. */
  readonly category?: Category;
  /** Unusual properties of the request. A defect explains defects that have further circumstances. */
  readonly circumstances?: readonly string[];
};

/** The kinds of harm, worst first. */
export const CATEGORIES = ['server error', 'security', 'data', 'validation', 'documentation', 'protocol'] as const;

/** A kind of harm. `data` means lost or wrong data; `protocol` means an HTTP rule that few clients depend on. */
export type Category = (typeof CATEGORIES)[number];

/** Creates a defect. The cause defaults to the message, which then must not include values. */
export function defectOf(message: string, cause = message, category?: Category): Defect {
  return category === undefined ? { message, cause } : { message, cause, category };
}
