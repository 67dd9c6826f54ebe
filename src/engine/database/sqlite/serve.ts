import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';
import { DatabaseUnavailable } from '../database.ts';
import type { Started } from './thread.ts';

const MAX_STATEMENTS = 100;

export type Served = {
  readonly database: DatabaseSync;
  /** Answers a message of the type that this thread is sent. */
  readonly answer: (request: never) => unknown;
};

/** The thread's side of `startThread`: opens a database, and answers messages until it is to close. */
export function serve(open: () => Served): void {
  try {
    const { database, answer } = open();
    parentPort?.on('message', (request: unknown) => {
      if (request !== 'close') {
        parentPort?.postMessage(answer(request as never)); // The main thread sends only this type.
        return;
      }
      database.close();
      parentPort?.close();
    });
    parentPort?.postMessage('open' satisfies Started);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    parentPort?.postMessage({ refused: error.message } satisfies Started);
  }
}

/** Prepares statements and keeps them for the next time. Integers are read as bigint. */
export function createStatements(database: DatabaseSync): (text: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (text) => {
    let statement = statements.get(text);
    if (statement === undefined) {
      statement = database.prepare(text);
      statement.setReadBigInts(true);
      if (statements.size === MAX_STATEMENTS) statements.clear();
      statements.set(text, statement);
    }
    return statement;
  };
}
