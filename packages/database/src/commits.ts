import { AsyncLocalStorage } from 'node:async_hooks';
import { BatchQueue, type BatchWorker } from './batch-queue.ts';
import {
  type BatchDatabase,
  type BatchDefinition,
  type BatchInsert,
  type DatabaseOptions,
  type DatabaseReader,
  type Definition,
  keyBytesOf,
  type StatementResult,
} from './database.ts';
import type { Health } from './health.ts';
import { createOnce, type Once } from './once.ts';
import {
  compile,
  type Dialect,
  ITEM_BYTES,
  type Query,
  sizeOfStatement,
  sizeOfValues,
  type Statement,
  type Value,
} from './sql.ts';
import { compileWork, type RunPart, type RunStatement, type TransactionWork, type Work } from './transaction.ts';

/** A row to insert, with its values in the order of the definition's columns. */
export type Insert = { readonly row: readonly Value[]; readonly key: string | undefined };
/**
 * A change to commit: a row, statements that belong together, or a transaction whose statements are not known yet; or a
 * check that a commit would succeed.
 */
export type CommittedChange =
  Insert | { readonly statements: readonly Statement[] } | { readonly work: TransactionWork } | 'check';
/** Whether a row was inserted; the results of statements; the value of a transaction; `true` for a check. */
export type ChangeResult = boolean | readonly StatementResult[] | { readonly value: unknown };

export type CommitParts = {
  readonly workers: readonly BatchWorker<CommittedChange, ChangeResult>[];
  readonly dialect: Dialect;
  readonly health: Health;
  /** Whether a change must have its own transaction. */
  readonly isAlone: (change: CommittedChange) => boolean;
  /** Creates the key of a row without a key. */
  readonly newKey: () => string | undefined;
  /** Reads outside of transactions. */
  readonly read: DatabaseReader['read'];
};

type Commits<Row> = Omit<BatchDatabase<Row>, 'stream' | 'close'> & {
  /** Resolves once no change is waiting or running. */
  readonly drain: () => Promise<void>;
};

/** The transaction in whose work the calling code runs. */
type OuterTransaction = {
  /** Becomes `false` when the work ends, since code that the work did not await may continue. */
  isOpen: boolean;
  /** Runs calls of the database as parts of the transaction; without it, they are rejected. */
  readonly runPart?: RunPart;
};

/**
 * Creates the functions of a database that write, or that may be called in a transaction. `insert` exists only if the
 * definition has a batch statement, `once` only with the option.
 */
export function createCommits<Row extends Readonly<Record<string, Value>>>(
  definition: Definition | BatchDefinition<Row>,
  { dialect, newKey, read, ...parts }: CommitParts,
  { queueLimitBytes, timeoutMs, onCommit, once: hasOnce = false }: DatabaseOptions,
): Omit<Commits<Row>, 'insert'> {
  const queue = new BatchQueue<CommittedChange, ChangeResult>({
    ...parts,
    sizeOf: sizeOfChange,
    statementOf: textOfChange,
    queueLimitBytes,
    timeoutMs,
    onBatch(changes, durationMs) {
      const count = changes.filter((change) => change !== 'check').length;
      if (count > 0) onCommit?.(count, durationMs);
    },
  });
  const outerTransactions = new AsyncLocalStorage<OuterTransaction>();
  return {
    ...('insert' in definition && { insert: insertWith(Object.keys(definition.insert.columns)) }),
    write,
    transaction: (work) => transact((transaction) => enter({ isOpen: true }, () => work(transaction))),
    ...(hasOnce && { once: onceOutside(createOnce(definition, { transact, join, write })) }),
    read: hasOnce ? readInContext : read,
    async check() {
      await commit('check');
    },
    drain: () => queue.drain(),
  };

  // The casts below follow from the kind of change: a row has a boolean result; statements, a list; work, its value.
  function insertWith(columns: readonly string[]): Commits<Row>['insert'] {
    return (row, key = newKey()) => commit({ row: columns.map((name) => row[name] ?? null), key }) as Promise<boolean>;
  }

  async function write(...queries: readonly Query[]): Promise<readonly StatementResult[]> {
    return (await commit({
      statements: queries.map((query) => compile(query, dialect)),
    })) as readonly StatementResult[];
  }

  /** Runs work in one transaction, in the asynchronous context of the caller. */
  async function transact<Result>(work: Work<Result>): Promise<Result> {
    const inContextOfCaller = AsyncLocalStorage.snapshot(); // The queue may run the work in another context.
    const timeUp = Promise.withResolvers<never>();
    const compiled = compileWork<Result>(
      (transaction, runPart) => inContextOfCaller(() => work(transaction, runPart)),
      dialect,
      timeUp.reject,
    );
    const result = commit({ work: compiled });
    const { value } = (await Promise.race([result, timeUp.promise])) as { readonly value: Result };
    return value;
  }

  /** Commits a change. In the work of `once`, runs it as a part of the transaction, which commits it. */
  function commit(change: CommittedChange): Promise<ChangeResult> {
    const outer = openOuterTransaction();
    if (outer === undefined) return queue.add(change);
    const { runPart } = outer;
    if (runPart === undefined || change === 'check') {
      // Queueing the change could deadlock with the transaction, or commit the change although the transaction fails.
      const problem = 'this call would not be part of the transaction: use the functions that its work receives';
      return Promise.reject(new Error(problem));
    }
    return runPart((run) => runChange(change, run, runPart));
  }

  /** Runs a change in an open transaction. */
  async function runChange(
    change: Exclude<CommittedChange, 'check'>,
    run: RunStatement,
    runPart: RunPart,
  ): Promise<ChangeResult> {
    if ('work' in change) return { value: await change.work.start(run, runPart) };
    if ('statements' in change) return Promise.all(change.statements.map((statement) => run(statement, 'write')));
    if (!('insert' in definition)) throw new Error('the definition has no insert');
    return (await run(insertOf(definition.insert, dialect, change), 'write')).count === 1;
  }

  /** Runs a query; in the work of `once`, as a part of the transaction. */
  async function readInContext<Found>(query: Query<Found>): Promise<readonly Found[]> {
    const runPart = openOuterTransaction()?.runPart;
    if (runPart === undefined) return read(query);
    const { rows } = await runPart((run) => run(compile(query, dialect), 'read'));
    return rows as readonly Found[]; // The query declares its row type.
  }

  /** Makes `once` reject in a transaction: a part that waits for a part of the same transaction would never end. */
  function onceOutside(once: Once): Once {
    return (key, work) =>
      openOuterTransaction() === undefined
        ? once(key, work)
        : Promise.reject(new Error('`once` must not be called within a transaction'));
  }

  /** Runs work whose calls of the database are parts of a transaction. */
  function join<Result>(runPart: RunPart, work: () => Promise<Result>): Promise<Result> {
    return enter({ isOpen: true, runPart }, work);
  }

  async function enter<Result>(outer: OuterTransaction, work: () => Promise<Result>): Promise<Result> {
    try {
      return await outerTransactions.run(outer, work);
    } finally {
      outer.isOpen = false;
    }
  }

  function openOuterTransaction(): OuterTransaction | undefined {
    const outer = outerTransactions.getStore();
    return outer?.isOpen === true ? outer : undefined;
  }
}

/** Returns the statement that inserts a single row. */
function insertOf<Row>(
  { columns, sqlite, postgres }: BatchInsert<Row>,
  dialect: Dialect,
  { row, key }: Insert,
): Statement {
  if (dialect.schema === undefined) return { text: sqlite, values: [...row, keyBytesOf(key)] };
  const types = ['uuid', ...Object.values<'bigint' | 'text'>(columns)];
  const values = types.map((type, index) => `$${String(index + 1)}::${type}`).join(', ');
  const names = ['key', ...Object.keys(columns), 'place'].join(', ');
  return {
    text: postgres(dialect.schema, `(VALUES (${values}, 1)) AS new (${names})`),
    values: [key ?? null, ...row],
  };
}

export function isInsert(change: CommittedChange): change is Insert {
  return typeof change === 'object' && 'row' in change;
}

/** Whether a change is a transaction with work. */
export function isTransaction(change: CommittedChange | undefined): change is { readonly work: TransactionWork } {
  return typeof change === 'object' && 'work' in change;
}

// Application texts are short; a `write` may have many statements.
const MAX_TEXT_CHARS = 1_000;

/** Returns the text of the statements in a change, or names the running part of a transaction. */
function textOfChange(change: CommittedChange): string | undefined {
  if (change === 'check' || isInsert(change)) return undefined;
  const text = isTransaction(change) ? change.work.running : change.statements.map((one) => one.text).join('; ');
  return text?.slice(0, MAX_TEXT_CHARS);
}

/** Returns the memory size of a change, in bytes. */
export function sizeOfChange(change: CommittedChange): number {
  if (change === 'check' || isTransaction(change)) return ITEM_BYTES;
  if (isInsert(change)) return ITEM_BYTES + sizeOfValues(change.row);
  return change.statements.reduce((bytes, statement) => bytes + sizeOfStatement(statement), ITEM_BYTES);
}
