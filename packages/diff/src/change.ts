import { LEVEL_ORDER, messageOf, type Finding, type Level, type Position } from './rules/finding.ts';
import type { NodePair } from './nodes/node.ts';
import type { Location, DocumentSource } from './sources/sources.ts';

/** A change at one place of a document, with the affected operations. */
export type Change = Location & {
  /** The most severe level of its findings. */
  readonly level: Level;
  /** The document with the location; absent for policy entries. */
  readonly side?: 'base' | 'revision';
  /** A JSON pointer, without `#`. */
  readonly pointer: string;
  /** `$ref #/components/schemas/A became #/components/schemas/B`, if this caused the findings. */
  readonly reference?: string | undefined;
  /** The findings, most severe first, without duplicates. */
  readonly findings: readonly Consequence[];
  /** The affected operations, such as `POST /pets`; none for changes of the whole document. */
  readonly operations: readonly string[];
};

/** A finding shared by all operations of a change. */
export type Consequence = { readonly rule: string; readonly level: Level; readonly message: string };

/** Groups sorted findings by place: the place of a `$ref` with a different target, or else the place of the finding. */
export function groupFindings(sources: NodePair<DocumentSource>, findings: readonly Finding[]): readonly Change[] {
  const sideOf = ({ document }: Position) => (document === sources.base.document ? 'base' : 'revision');
  const placeOf = (finding: Finding): Position => finding.reference ?? finding;
  const groups = Map.groupBy(findings, (finding) => `${sideOf(placeOf(finding))} ${placeOf(finding).pointer}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const side = sideOf(placeOf(first));
    const { pointer } = placeOf(first);
    const reference = group.find((finding) => finding.reference !== undefined)?.reference?.change;
    const same = Map.groupBy(group, ({ rule, level, change }) => [level, rule, change].join(' '));
    return {
      ...sources[side].locate(pointer),
      side,
      pointer,
      level: first.level,
      reference,
      findings: [...same.values()].flatMap(mergeFindings),
      operations: [...new Set(group.flatMap(({ operation }) => operation ?? []))].sort(),
    };
  });
}

/** Merges findings that differ only in operation and value. The message names the common part of the values. */
function mergeFindings(findings: readonly Finding[]): readonly Consequence[] {
  const [first] = findings;
  if (first === undefined) return [];
  const { rule, level, change } = first;
  const name = findings.map((finding) => finding.name).reduce(commonName);
  return [{ rule, level, message: messageOf({ name, change }) }];
}

/** Returns the common part of two names: `request body/…/id` for `request body/id` and `request body/items/id`. */
function commonName(one: string, other: string): string {
  if (one === other) return one;
  const [words, otherWords] = [wordsOf(one), wordsOf(other)];
  const start = countCommon(words, otherWords);
  const count = countCommon(words.slice(start).reverse(), otherWords.slice(start).reverse());
  const end = words.slice(words.length - count).join('');
  const gap = end === '' ? '' : end.startsWith('/') ? '/…' : ' …';
  return (words.slice(0, start).join('') + gap + end).trimStart();
}

/** Returns the number of common words at the beginning of two names. */
function countCommon(words: readonly string[], others: readonly string[]): number {
  const end = words.findIndex((word, index) => word !== others[index]);
  return end === -1 ? words.length : end;
}

function wordsOf(name: string): readonly string[] {
  return name.split(/(?=[ /])/);
}

/** Sorts changes by level, stably. */
export function sortChanges(changes: readonly Change[]): readonly Change[] {
  return [...changes].sort((a, b) => LEVEL_ORDER.indexOf(a.level) - LEVEL_ORDER.indexOf(b.level));
}

/** Returns the name of a file with its git revision: `HEAD:openapi.yaml`. */
export function fileName({ commit, file }: Location): string {
  return commit === undefined ? file : `${commit}:${file}`;
}
