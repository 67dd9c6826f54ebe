/** What is wrong with a response, or with what several responses say together. */
export type Defect = {
  /** Describes this occurrence, with the values of the request and the response. */
  readonly message: string;
  /** Is the same for the occurrences that one change of the server would end: it has no values. */
  readonly cause: string;
  /** The kind of harm; by default, that of the check. */
  readonly category?: Category;
  /** What is special about the request: a defect with fewer circumstances explains those with more. */
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
