import { setImmediate } from 'node:timers/promises';

/** Thrown into a task that must end, since the time is up. */
export class Interrupted extends Error {}

/** Waits until a task may start its next step. @throws {Interrupted} when the time is up */
export type Turn = () => Promise<void>;

/** Work that can be paused between its steps. */
export type Task = {
  /** Runs the task to its end. Awaits its turn before each step, and does not catch {@link Interrupted}. */
  readonly run: () => Promise<void>;
  /** Returns whether the task has done its minimum. */
  readonly hasMinimum: () => boolean;
};

export type Limits = {
  /** The time limit for all tasks together. */
  readonly budgetMs: number;
  /** The number of tasks that run concurrently. */
  readonly workers: number;
  /** Interrupts all tasks. */
  readonly signal: AbortSignal;
};

/** A task of a finished run. */
export type FinishedTask<Work> = {
  readonly task: Work;
  readonly isDone: boolean;
  /** The error that the task threw, if any. */
  readonly error: unknown;
};

type Job<Work> = {
  readonly task: Work;
  readonly isDone: () => boolean;
  readonly error: () => unknown;
  /** Runs the task until it ends or must pause, for at least one step. */
  readonly resume: (mustPause: () => boolean) => Promise<void>;
  /** Ends the task. */
  readonly interrupt: () => Promise<void>;
};

/**
 * Runs tasks in rounds, in their order. In each round, every task gets an equal share of the remaining time. All tasks
 * first reach their minimum. Time only decides when a task is paused or interrupted.
 *
 * @param creators create a task that awaits the given turn before each step
 * @returns the tasks in their order; an error in one task does not end the others
 */
export async function runTasks<Work extends Task>(
  creators: readonly ((turn: Turn) => Work)[],
  { budgetMs, workers, signal }: Limits,
): Promise<readonly FinishedTask<Work>[]> {
  const endsAt = performance.now() + budgetMs;
  const isOver = (): boolean => signal.aborted || performance.now() >= endsAt;
  const jobs = creators.map(createJob);
  for (let round = nextRound(jobs); round.length > 0 && !isOver(); round = nextRound(jobs)) {
    const waiting = [...round];
    const work = async (): Promise<void> => {
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
        const { task, resume } = job;
        const isBelowMinimum = !task.hasMinimum();
        const now = performance.now();
        const until = Math.min(endsAt, now + ((endsAt - now) * workers) / (waiting.length + 1));
        await setImmediate(); // Signals arrive only between tasks that send no requests.
        await resume(() => isOver() || performance.now() >= until || (isBelowMinimum && task.hasMinimum()));
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
  }
  await Promise.all(jobs.map(({ interrupt }) => interrupt()));
  return jobs.map(({ task, isDone, error }) => ({ task, isDone: isDone(), error: error() }));
}

/**
 * Returns the unfinished jobs below their minimum. If every unfinished job has reached its minimum, returns all of
 * them.
 */
function nextRound<Work extends Task>(jobs: readonly Job<Work>[]): readonly Job<Work>[] {
  const unfinished = jobs.filter(({ isDone, error }) => !isDone() && error() === undefined);
  const short = unfinished.filter(({ task }) => !task.hasMinimum());
  return short.length > 0 ? short : unfinished;
}

function createJob<Work extends Task>(create: (turn: Turn) => Work): Job<Work> {
  let mustPause = (): boolean => false;
  let isDone = false;
  let isInterrupted = false;
  let thrown: unknown;
  let resumed = Promise.withResolvers<undefined>();
  let paused = Promise.withResolvers<undefined>();
  let ended: Promise<void> | undefined;
  const task = create(async () => {
    if (!isInterrupted && mustPause()) {
      resumed = Promise.withResolvers();
      paused.resolve(undefined);
      await resumed.promise;
    }
    if (isInterrupted) throw new Interrupted();
  });
  return {
    task,
    isDone: () => isDone,
    error: () => thrown,
    async resume(pauses) {
      mustPause = pauses;
      paused = Promise.withResolvers();
      resumed.resolve(undefined);
      ended ??= run();
      await Promise.race([paused.promise, ended]);
    },
    async interrupt() {
      isInterrupted = true;
      resumed.resolve(undefined);
      await ended;
    },
  };

  async function run(): Promise<void> {
    try {
      await task.run();
      isDone = true;
    } catch (error) {
      if (!(error instanceof Interrupted)) thrown = error;
    }
  }
}
