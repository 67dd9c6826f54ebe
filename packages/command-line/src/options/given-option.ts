/** A given option: its values, or the members of a map, and its place for messages. A flag has neither. */
export type GivenOption = {
  readonly values: readonly string[];
  readonly members?: ReadonlyMap<string, unknown>;
  readonly place: string;
};
