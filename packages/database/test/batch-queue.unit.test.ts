import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { BatchFailed, BatchQueue, type BatchWorker } from '../src/batch-queue.ts';
import { DatabaseUnavailable } from '../src/database.ts';

type Attempt = { readonly items: readonly string[]; readonly end: (failure?: Error) => void };

/** Creates a worker whose commits the test completes. */
function createWorker() {
  const attempts: Attempt[] = [];
  const worker: BatchWorker<string, boolean> = {
    ready: () => Promise.resolve(),
    run: (items) =>
      new Promise((resolve, reject) => {
        const end = (failure?: Error): void => {
          if (failure === undefined) resolve(items.map((item) => item !== 'known'));
          else reject(failure);
        };
        attempts.push({ items, end });
      }),
  };
  const attempt = async (index: number): Promise<Attempt> => {
    for (;;) {
      const found = attempts[index];
      if (found !== undefined) return found;
      await turn();
    }
  };
  return { worker, attempts, attempt };
}

const failed = (recovery: BatchFailed['recovery'], message = 'no'): BatchFailed =>
  new BatchFailed(recovery, new Error(message));

function createQueue(workers: readonly BatchWorker<string, boolean>[], limits = {}) {
  const changes: string[] = [];
  const health = { worked: () => void changes.push('worked'), failed: () => void changes.push('failed') };
  const options = { queueLimitBytes: 1_000_000, timeoutMs: 60_000, ...limits };
  const isAlone = (item: string): boolean => item.startsWith('alone');
  const statementOf = (item: string): string => `INSERT ${item}`;
  const queue = new BatchQueue({ workers, health, sizeOf: ({ length }) => length, isAlone, statementOf, ...options });
  const add = (item: string): Promise<boolean> => queue.add(item);
  return { changes, add, drain: () => queue.drain() };
}

afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

/** Mocks the clock; `mock.timers.tick` advances it. */
function stopClock(): void {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  mock.method(performance, 'now', () => Date.now());
}

test('the batch queue: a single item is committed at once; items that arrive meanwhile share the next commit, in order', async () => {
  const { worker, attempt, attempts } = createWorker();
  const { add, drain } = createQueue([worker]);
  const a = add('a');
  const first = await attempt(0);
  expect(first.items).toEqual(['a']);
  const others = Promise.all(['b', 'known', 'd'].map(add));
  await turn();
  expect(attempts).toHaveLength(1);
  first.end();
  expect(await a).toBe(true);
  const second = await attempt(1);
  expect(second.items).toEqual(['b', 'known', 'd']);
  second.end();
  expect(await others).toEqual([true, false, true]);
  await drain();
});

test('the batch queue: several workers commit concurrently', async () => {
  const [one, two] = [createWorker(), createWorker()];
  const { add } = createQueue([one.worker, two.worker]);
  const a = add('a');
  const ofTwo = await two.attempt(0);
  const b = add('b');
  (await one.attempt(0)).end();
  expect(await b).toBe(true);
  ofTwo.end();
  expect(await a).toBe(true);
});

test('the batch queue: in a rejected batch, only invalid items fail, and the other items are committed in order', async () => {
  const stored: string[] = [];
  const bad = new Set(['2', '7', '8']);
  const worker: BatchWorker<string, boolean> = {
    ready: () => Promise.resolve(),
    run: (items) => {
      const fault = items.find((item) => bad.has(item));
      if (fault !== undefined) return Promise.reject(failed('split', `refused ${fault}`));
      stored.push(...items);
      return Promise.resolve(items.map(() => true));
    },
  };
  const { add, drain } = createQueue([worker]);
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => add(String(index))));
  await drain();
  expect(stored.join('')).toBe('0134569');
  expect(
    outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? (outcome.reason as Error).message : [])),
  ).toEqual(['refused 2', 'refused 7', 'refused 8']);
});

test('the batch queue: failed items are retried before later items; each change of availability is reported once', async () => {
  const { worker, attempt } = createWorker();
  const { add, changes } = createQueue([worker]);
  const ab = Promise.all(['a', 'b'].map(add));
  const first = await attempt(0);
  const c = add('c');
  first.end(failed('retry'));
  const second = await attempt(1);
  expect(second.items).toEqual(['a', 'b', 'c']);
  second.end();
  expect([await ab, await c]).toEqual([[true, true], true]);
  expect(changes).toEqual(['failed', 'worked']);
});

test('the batch queue: when the database is unavailable, the batch fails, and the next batch is tried', async () => {
  const { worker, attempt } = createWorker();
  const { add } = createQueue([worker]);
  const a = add('a');
  (await attempt(0)).end(failed('wait'));
  await expect(a).rejects.toBeInstanceOf(DatabaseUnavailable);
  const b = add('b');
  (await attempt(1)).end();
  expect(await b).toBe(true);
});

test('the batch queue: an unexpected error rejects the whole batch unchanged', async () => {
  const { worker, attempt } = createWorker();
  const { add } = createQueue([worker]);
  const ab = Promise.allSettled(['a', 'b'].map(add));
  const bug = new Error('bug');
  (await attempt(0)).end(bug);
  expect(await ab).toEqual([
    { status: 'rejected', reason: bug },
    { status: 'rejected', reason: bug },
  ]);
});

test('the batch queue: a full queue refuses items until there is room; an empty queue accepts an item of any size', async () => {
  const { worker, attempt } = createWorker();
  const { add } = createQueue([worker], { queueLimitBytes: 4 });
  const large = add('large');
  await expect(add('b')).rejects.toBeInstanceOf(DatabaseUnavailable);
  (await attempt(0)).end();
  await large;
  const two = Promise.all([add('aa'), add('bb')]);
  await expect(add('c')).rejects.toBeInstanceOf(DatabaseUnavailable);
  (await attempt(1)).end();
  expect(await two).toEqual([true, true]);
});

test('the batch queue: an item that waits too long fails and is never committed; an item whose commit takes too long keeps its place', async () => {
  stopClock();
  const { worker, attempt, attempts } = createWorker();
  const { add, drain } = createQueue([worker], { timeoutMs: 1_000, queueLimitBytes: 4 });
  const underWay = add('aa');
  const first = await attempt(0);
  const waiting = add('bb');
  const outcomes = Promise.allSettled([underWay, waiting]);
  mock.timers.tick(1_000);
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(waiting).rejects.toBeInstanceOf(DatabaseUnavailable);
  await expect(add('cc')).rejects.toThrow('does not answer');
  first.end();
  await turn();
  const next = add('cc');
  (await attempt(1)).end();
  expect(await next).toBe(true);
  expect(attempts.map(({ items }) => items)).toEqual([['aa'], ['cc']]);
  await drain();
});

test('the batch queue: the items of one turn time out together, so that none of them is committed before the others', async () => {
  stopClock();
  const { worker, attempt, attempts } = createWorker();
  const { add, drain } = createQueue([worker], { timeoutMs: 1_000 });
  const underWay = add('a');
  const first = await attempt(0);
  mock.timers.tick(500);
  const one = add('b');
  mock.timers.tick(1);
  const outcomes = Promise.allSettled([underWay, one, add('c')]);
  mock.timers.tick(999);
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  first.end();
  await drain();
  expect(attempts).toHaveLength(1);
});

test('the batch queue: while no worker is ready, items time out, and then no more items are accepted', async () => {
  const { worker, attempt, attempts } = createWorker();
  const ready = Promise.withResolvers<undefined>();
  stopClock();
  const { add, drain } = createQueue([{ ...worker, ready: () => ready.promise }], { timeoutMs: 1_000 });
  const outcomes = Promise.allSettled(['a', 'b'].map(add));
  await turn();
  mock.timers.tick(1_000);
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await drain();
  await expect(add('c')).rejects.toThrow('does not answer');
  ready.resolve(undefined);
  await turn();
  expect(attempts).toEqual([]);
  const d = add('d');
  (await attempt(0)).end();
  expect(await d).toBe(true);
});

test('the batch queue: an item that must be alone has its own batch, and another worker takes the next item at once', async () => {
  const [one, two] = [createWorker(), createWorker()];
  const { add } = createQueue([one.worker, two.worker]);
  const all = Promise.all(['a', 'b', 'alone 1', 'alone 2', 'c'].map(add));
  const ab = await two.attempt(0);
  expect(ab.items).toEqual(['a', 'b']);
  ab.end();
  const first = await two.attempt(1);
  const second = await one.attempt(0);
  expect([first.items, second.items]).toEqual([['alone 1'], ['alone 2']]);
  second.end();
  (await one.attempt(1)).end();
  first.end();
  expect(await all).toHaveLength(5);
  expect(one.attempts.map(({ items }) => items)).toEqual([['alone 2'], ['c']]);
});

test('the batch queue: a batch has at most 1,000 items and a few megabytes', async () => {
  const { worker, attempt } = createWorker();
  const { add } = createQueue([worker], { queueLimitBytes: 1e9 });
  const all = Promise.all([
    ...Array.from({ length: 1_500 }, () => add('x')),
    ...Array.from({ length: 3 }, () => add('x'.repeat(3_000_000))),
  ]);
  const lengths: number[] = [];
  for (let index = 0; index < 4; index += 1) {
    const { items, end } = await attempt(index);
    lengths.push(items.length);
    end();
  }
  expect(lengths).toEqual([1_000, 501, 1, 1]);
  expect(await all).toHaveLength(1_503);
});

test('the batch queue: the error of an item that takes too long names its statement while it runs', async () => {
  stopClock();
  const { worker, attempt } = createWorker();
  const { add } = createQueue([worker]);
  const running = add('first');
  const { end } = await attempt(0);
  const waiting = add('second');
  const outcomes = Promise.allSettled([running, waiting]);
  mock.timers.tick(60_000);
  expect(await outcomes).toMatchObject([
    { reason: new DatabaseUnavailable('the database did not answer within 60000 ms; it is running INSERT first') },
    { reason: new DatabaseUnavailable('the database did not answer within 60000 ms') },
  ]);
  end();
});
