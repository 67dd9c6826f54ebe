import { AsyncLocalStorage } from 'node:async_hooks';
import { BatchQueue, type BatchWorker } from './batch-queue.ts';
import type { BatchDatabase, BatchDefinition, DatabaseOptions, Definition, Transaction, Written } from './database.ts';
import type { Health } from './health.ts';
import { compile, type Dialect, ITEM_BYTES, sizeOfStatement, sizeOfValues, type Statement, type Value } from './sql.ts';
import { type TransactionWork, compileWork } from './transaction.ts';

/** A row to insert, with its values in the order of the definition's columns. */
export type Insert = { readonly row: readonly Value[]; readonly key: string | undefined };
/**
 * A change to commit: a row, statements that belong together, or a transaction whose statements are not known yet; or a
 * check that a commit would succeed.
 */
export type CommittedChange =
  Insert | { readonly statements: readonly Statement[] } | { readonly work: TransactionWork } | 'check';
/** Whether a row was inserted; the results of statements; the value of a transaction; `true` for a check. */
export type ChangeResult = boolean | readonly Written[] | { readonly value: unknown };

export type CommitParts = {
  readonly workers: readonly BatchWorker<CommittedChange, ChangeResult>[];
  readonly dialect: Dialect;
  readonly health: Health;
  /** Whether a change must have its own transaction. */
  readonly isAlone: (change: CommittedChange) => boolean;
  /** Creates the key of a row without a key. */
  readonly newKey: () => string | undefined;
};

type Commits<Row> = Pick<BatchDatabase<Row>, 'insert' | 'write' | 'transaction' | 'check'> & {
  readonly drain: () => Promise<void>;
};

/** Creates the writing functions of a database. `insert` exists only if the definition has a batch statement. */
export function createCommits<Row extends Readonly<Record<string, Value>>>(
  definition: Definition | BatchDefinition<Row>,
  { dialect, newKey, ...parts }: CommitParts,
  { queueLimitBytes, timeoutMs, onCommit }: DatabaseOptions,
): Omit<Commits<Row>, 'insert'> {
  const queue = new BatchQueue<CommittedChange, ChangeResult>({
    ...parts,
    sizeOf: sizeOfChange,
    queueLimitBytes,
    timeoutMs,
    onBatch(changes, durationMs) {
      const count = changes.filter((change) => change !== 'check').length;
      if (count > 0) onCommit?.(count, durationMs);
    },
  });
  /** The transaction in whose work the calling code runs. */
  const context = new AsyncLocalStorage<{ isOpen: boolean }>();
  const add = (change: CommittedChange): Promise<ChangeResult> => {
    if (context.getStore()?.isOpen !== true) return queue.add(change);
    // Queueing the change could deadlock with the transaction, or commit the change although the transaction fails.
    const problem = 'this call would not be part of the transaction: use the functions that its work receives';
    return Promise.reject(new Error(problem));
  };
  // The casts below follow from the kind of change: a row has a boolean result; statements, a list; work, its value.
  const insertInto = (columns: readonly string[]): Commits<Row>['insert'] => {
    return (row, key = newKey()) => add({ row: columns.map((name) => row[name] ?? null), key }) as Promise<boolean>;
  };
  return {
    ...('insert' in definition && { insert: insertInto(Object.keys(definition.insert.columns)) }),
    write: async (...queries) =>
      (await add({ statements: queries.map((query) => compile(query, dialect)) })) as readonly Written[],
    async transaction<Result>(work: (transaction: Transaction) => Promise<Result>) {
      const inContextOfCaller = AsyncLocalStorage.snapshot(); // The queue may run the work in another context.
      const workHere = async (transaction: Transaction): Promise<Result> => {
        const state = { isOpen: true };
        try {
          return await inContextOfCaller(() => context.run(state, work, transaction));
        } finally {
          state.isOpen = false;
        }
      };
      const timeUp = Promise.withResolvers<never>();
      const result = add({ work: compileWork(workHere, dialect, timeUp.reject) });
      const { value } = (await Promise.race([result, timeUp.promise])) as { readonly value: Result };
      return value;
    },
    async check() {
      await add('check');
    },
    drain: () => queue.drain(),
  };
}

export function isInsert(change: CommittedChange): change is Insert {
  return typeof change === 'object' && 'row' in change;
}

/** Whether a change is a transaction with work. */
export function isTransaction(change: CommittedChange | undefined): change is { readonly work: TransactionWork } {
  return typeof change === 'object' && 'work' in change;
}

/** Returns the memory size of a change, in bytes. */
export function sizeOfChange(change: CommittedChange): number {
  if (change === 'check' || isTransaction(change)) return ITEM_BYTES;
  if ('row' in change) return ITEM_BYTES + sizeOfValues(change.row);
  return change.statements.reduce((bytes, statement) => bytes + sizeOfStatement(statement), ITEM_BYTES);
}
