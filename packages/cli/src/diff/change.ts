import type { Finding, Level } from './finding.ts';
import type { Pair } from './node.ts';
import type { Location, Source } from './sources.ts';

/** A finding with its location in a file, as reports show it. */
export type Change = Location & {
  readonly rule: string;
  readonly level: Level;
  /** `POST /pets`; absent for findings about the whole document. */
  readonly operation?: string | undefined;
  readonly message: string;
  /** The document that has the location; absent for entries of the policy. */
  readonly side?: 'base' | 'revision';
  /** A JSON pointer, without `#`. */
  readonly pointer: string;
};

/** Adds the location of a finding. */
export function locate({ base, revision }: Pair<Source>, { document, ...finding }: Finding): Change {
  return document === base.document
    ? { ...finding, side: 'base', ...base.locate(finding.pointer) }
    : { ...finding, side: 'revision', ...revision.locate(finding.pointer) };
}

/** Returns the name of a file, with that of its git revision: `HEAD:openapi.yaml`. */
export function fileName({ commit, file }: Location): string {
  return commit === undefined ? file : `${commit}:${file}`;
}
