import { availableParallelism } from 'node:os';

/** Runs a job for each item in order, with as many parallel jobs as cores. @throws the first error of a job */
export async function inParallel<Item>(items: Iterable<Item>, run: (item: Item) => Promise<void>): Promise<void> {
  const waiting = Iterator.from(items);
  const runWaiting = async (): Promise<void> => {
    for (const item of waiting) await run(item);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
}
