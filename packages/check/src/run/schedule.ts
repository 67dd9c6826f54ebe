/** The time is up: a task must end. */
export class Interrupted extends Error {}

/** Waits for the next step of a task. @throws {Interrupted} when the time is up */
export type Turn = () => Promise<void>;

/** Work that is paused and continued between its steps. */
export type Task = {
  /** Does all the work; awaits its turn before each step, and lets {@link Interrupted} pass. */
  readonly run: () => Promise<void>;
  /** Whether as much is done as every task must do. */
  readonly hasMinimum: () => boolean;
};

export type Limits = {
  /** The time for all tasks together. */
  readonly budgetMs: number;
  /** The number of tasks that run at the same time. */
  readonly workers: number;
  /** Interrupts all tasks. */
  readonly signal: AbortSignal;
};

/** A task of a run that is over. */
export type FinishedTask<Work> = {
  readonly task: Work;
  readonly isDone: boolean;
  /** The error that the task has thrown, if any. */
  readonly error: unknown;
};

type Job<Work> = {
  readonly task: Work;
  readonly isDone: () => boolean;
  readonly error: () => unknown;
  /** Continues the task until it is done or must pause, for one step at least. */
  readonly resume: (mustPause: () => boolean) => Promise<void>;
  /** Ends the task. */
  readonly interrupt: () => Promise<void>;
};

/**
 * Runs tasks in rounds, each in their order. In a round, a task gets an equal share of the time that is left. All tasks
 * come to their minimum first. The time only decides when a task is paused and interrupted.
 *
 * @param creators create a task that awaits the given turn before each step
 * @returns the tasks in their order. One that throws does not end the others
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
        await resume(() => isOver() || performance.now() >= until || (isBelowMinimum && task.hasMinimum()));
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
  }
  await Promise.all(jobs.map(({ interrupt }) => interrupt()));
  return jobs.map(({ task, isDone, error }) => ({ task, isDone: isDone(), error: error() }));
}

/** Returns the unfinished jobs below their minimum; without any, all unfinished ones. */
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
