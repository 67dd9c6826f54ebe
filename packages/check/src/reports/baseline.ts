import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { CannotCheck } from '@contract-first/model/values';
import type { ContractResult } from '../run/contract-result.ts';

/** Known failures. They do not count: only new failures fail a run. */
export type Baseline = {
  readonly accepts: (failure: KnownFailure) => boolean;
  /** Returns whether a failure may be accepted once its request is simplified, which may change its cause. */
  readonly mayAccept: (failure: KnownFailure) => boolean;
  /** Removes the accepted failures from a result, and adds a note for each entry without a failure. */
  readonly apply: (result: ContractResult) => ContractResult;
};

type KnownFailure = { readonly check: string; readonly cause: string; readonly operationId: string };

/** A cause with the operations that have it, as the file lists them. */
type Entry = { readonly check: string; readonly cause: string; readonly operations: readonly string[] };

const NOT_IMPLEMENTED = { check: 'implemented', cause: 'not implemented (501)' };
const COMMENT = '# The failures that contract-first check accepts. --update-baseline writes this file.\n';

/** Reads a baseline. @throws {CannotCheck} when there is none */
export function readBaseline(path: string): Baseline {
  const known = readEntries(path).flatMap(({ operations, ...rest }) =>
    operations.map((operationId): KnownFailure => ({ ...rest, operationId })),
  );
  const keyOf = ({ check, cause, operationId }: KnownFailure): string => JSON.stringify([check, cause, operationId]);
  const keys = new Set(known.map(keyOf));
  const accepts = (failure: KnownFailure): boolean => keys.has(keyOf(failure));
  return {
    accepts,
    mayAccept: ({ check, operationId }) => known.some((one) => one.check === check && one.operationId === operationId),
    apply(result) {
      const found = new Set(failuresOf(result).map(keyOf));
      const checked = result.operations.filter((operationId) => !result.incomplete.includes(operationId));
      const stale = known.filter((one) => checked.includes(one.operationId) && !found.has(keyOf(one)));
      const accepted = failuresOf(result).filter(accepts).length;
      return {
        ...result,
        failures: result.failures.filter((failure) => !accepts(failure)),
        notImplemented: result.notImplemented.filter((operationId) => !accepts({ ...NOT_IMPLEMENTED, operationId })),
        notes: [
          ...result.notes,
          ...(accepted === 0 ? [] : [`${path} accepts ${String(accepted)} failures`]),
          ...stale.map(({ check, operationId, cause }) => `${path}: fixed? ${check}  ${operationId}: ${cause}`),
        ],
      };
    },
  };
}

/** Writes a baseline that accepts the failures of a run. @throws {CannotCheck} when that fails */
export function writeBaseline(path: string, result: ContractResult): void {
  const groups = Map.groupBy(failuresOf(result), ({ check, cause }) => JSON.stringify([check, cause]));
  const entries = [...groups.values()].flatMap((group): Entry[] => {
    const operations = group.map(({ operationId }) => operationId).sort();
    return group.slice(0, 1).map(({ check, cause }) => ({ check, cause, operations }));
  });
  try {
    writeFileSync(path, COMMENT + stringify(entries, { lineWidth: 0 }));
  } catch (error) {
    throw new CannotCheck(`the baseline ${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

function failuresOf({ failures, notImplemented }: ContractResult): readonly KnownFailure[] {
  return [...failures, ...notImplemented.map((operationId) => ({ ...NOT_IMPLEMENTED, operationId }))];
}

function readEntries(path: string): readonly Entry[] {
  let entries: unknown;
  try {
    entries = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isMissing
      ? 'does not exist: --update-baseline writes it'
      : `cannot be read: ${(error as Error).message}`;
    throw new CannotCheck(`the baseline ${path} ${reason}`, { cause: error });
  }
  if (Array.isArray(entries) && entries.every(isEntry)) return entries;
  throw new CannotCheck(`the baseline ${path} must be a list of entries with check, cause and operations`);
}

function isEntry(value: unknown): value is Entry {
  const { check, cause, operations } = (value ?? {}) as Partial<Record<keyof Entry, unknown>>; // Any value has members.
  const isTexts = Array.isArray(operations) && operations.every((one) => typeof one === 'string');
  return typeof check === 'string' && typeof cause === 'string' && isTexts;
}
