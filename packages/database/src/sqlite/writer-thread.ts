import { workerData } from 'node:worker_threads';
import { createCommitter, type InsertStatement } from './committer.ts';
import { openForWriting, type Schema } from './open-file.ts';
import { rememberFiles } from './same-files.ts';
import { serveBatches } from './serve-batches.ts';

// The thread that writes, so that a slow disk, a checkpoint or another process's lock delays commits only.

export type WriterData = {
  readonly path: string;
  readonly schema: Schema;
  readonly insert: InsertStatement | undefined;
  readonly busyTimeoutMs: number;
  readonly transactionLimitMs: number;
};

const { path, schema, insert, busyTimeoutMs, transactionLimitMs } = workerData as WriterData;

serveBatches(path, () => {
  const database = openForWriting(path, schema);
  database.exec(`PRAGMA busy_timeout = ${String(busyTimeoutMs)}`);
  return { database, run: createCommitter(database, insert, rememberFiles(path), transactionLimitMs) };
});
