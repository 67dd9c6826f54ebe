import { workerData } from 'node:worker_threads';
import {
  type Commit,
  createCommitter,
  type InsertStatement,
  type PlainChange,
  rememberFiles,
  type TransactionStep,
} from './committer.ts';
import { openForWriting, type StoreSchema } from './open-file.ts';
import { serveBatches } from './batch-thread.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

// The writing thread. A slow disk, a checkpoint or another process's lock delays commits, but not the event loop.

export type WriterData = {
  readonly path: string;
  readonly schema: StoreSchema;
  readonly insert: InsertStatement | undefined;
  readonly busyTimeoutMs: number;
  readonly transactionLimitMs: number;
};

/** A task between two commits. */
export type LogTask = { readonly log: 'checkpoint' | 'rewrite' };

const { path, schema, insert, busyTimeoutMs, transactionLimitMs } = workerData as WriterData;

serveBatches(path, () => {
  const database = openForWriting(path, schema);
  database.exec(`PRAGMA busy_timeout = ${String(busyTimeoutMs)}`);
  const log = new WriteAheadLog(path, database, busyTimeoutMs);
  const checkFiles = rememberFiles(path);
  const commit = createCommitter(database, insert, checkFiles, transactionLimitMs);
  return {
    run(items: readonly (PlainChange | TransactionStep | LogTask)[]): Commit {
      const [first] = items;
      if (typeof first !== 'object' || !('log' in first))
        return commit(items as readonly (PlainChange | TransactionStep)[]);
      checkFiles(); // Prevents moving a deleted log into the database.
      if (first.log === 'checkpoint') log.checkpoint();
      else log.rewrite();
      return { results: [], syncMs: 0, isLogLong: false };
    },
    close: () => {
      log.close();
    },
  };
});
