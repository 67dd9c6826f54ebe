import pino from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../src/database.ts';
import type { GuestBook } from '@contract-first/testing/fixture/src/guests/guest-book.ts';
import { listGuests, openTestStore } from '@contract-first/testing/app.ts';

/** Opens a store and records its log. */
export async function openLogged(url: string) {
  const logged: { readonly msg: string }[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as { msg: string }) });
  return { logged, store: await openTestStore(url, { log, timeoutMs: 10_000 }) };
}

/** Returns the names of the guests of a store. */
export async function names(url: string): Promise<string[]> {
  return (await listGuests(url)).map(({ name }) => name);
}

/** Returns whether an error means that the database is unavailable. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DatabaseUnavailable;
}

/** Returns `false` for an error that means that the database is unavailable. Throws any other error. */
export function unlessUnavailable(error: unknown): false {
  if (isUnavailable(error)) return false;
  throw error;
}

/** Starts clients that add guests in sequence with unique names and few ids, and records each outcome. */
export function startLoad(store: GuestBook) {
  const added: string[] = [];
  const unavailable: string[] = [];
  const other: unknown[] = [];
  let isOver = false;
  let last = 0;
  const client = async (): Promise<void> => {
    while (!isOver) {
      const name = String((last += 1));
      try {
        await store.add({ id: BigInt(last % 10), name });
        added.push(name);
      } catch (error) {
        if (isUnavailable(error)) unavailable.push(name);
        else other.push(error);
        await sleep(1); // Avoids a busy loop if additions fail at once.
      }
    }
  };
  const clients = Array.from({ length: 50 }, client);
  const until = async (isReached: () => boolean): Promise<void> => {
    while (!isReached()) await sleep(5);
  };
  return {
    /** Resolves after a number of further guests were added. */
    progress: (count: number) => {
      const goal = added.length + count;
      return until(() => added.length >= goal);
    },
    /** Resolves when the next addition fails. */
    rejection: () => {
      const goal = unavailable.length + 1;
      return until(() => unavailable.length >= goal);
    },
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
      return { added, unavailable, other };
    },
  };
}
