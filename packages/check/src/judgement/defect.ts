/** A fault of a response, or of several responses together. */
export type Defect = {
  /** Describes this occurrence, with values of the request and the response. */
  readonly message: string;
  /** Identifies occurrences that have the same fix. It has no values. */
  readonly cause: string;
  /** The kind of harm; by default, that of the check. */
  readonly category?: Category;
  /** Unusual properties of the request. A defect with fewer of them explains those with more. */
  readonly circumstances?: readonly string[];
};

/** The kinds of harm, worst first. */
export const CATEGORIES = ['server error', 'security', 'data', 'validation', 'documentation', 'protocol'] as const;

/** A kind of harm. `data` is lost or wrong, `protocol` is a rule of HTTP that most clients do not depend on. */
export type Category = (typeof CATEGORIES)[number];

/** Creates a defect; without values in its message, the message is the cause. */
export function defectOf(message: string, cause = message, category?: Category): Defect {
  return category === undefined ? { message, cause } : { message, cause, category };
}
