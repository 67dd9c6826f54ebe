import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { MetricsSnapshot } from './ops/metrics.ts';
import type { Service } from './service.ts';

/** The service as several processes that share a port. */
export type Workers = Service & {
  /** Replaces the processes, one after another, by new ones, which run the code as it is on disk now. Never rejects. */
  readonly restart: () => Promise<void>;
};

/** A process could not be started; it has said itself why. */
export class WorkerFailed extends Error {}

type Question = { readonly question: number };
type Answer = {
  readonly answer: number;
  readonly unreadiness: string | undefined;
  readonly metrics: readonly MetricsSnapshot[];
};
/** What each of them sends once it serves. */
type Serving = { readonly url: string };

// A process that ends again and again is not to keep the machine busy with that.
const REPLACE_MS = 1_000;
const ANSWER_MS = 5_000;

/**
 * Starts the processes of the service; each runs this program. One that ends by itself is replaced.
 *
 * @param env what they have in their environment beside that of this process
 * @throws {WorkerFailed} when the first of them does not start
 */
export async function startWorkers(count: number, env: NodeJS.ProcessEnv, log: Logger): Promise<Workers> {
  const serving = new Set<Worker>();
  const ended = new Map<Worker, Promise<number>>();
  const pending = new Map<number, (answer: Answer) => void>();
  let questions = 0;
  let isStopping = false;
  let isRestarting = false;

  const url = await start();
  await Promise.all(Array.from({ length: count - 1 }, start));

  return {
    url,
    async unreadiness() {
      const reasons = (await askAll()).map(({ unreadiness }) => unreadiness);
      return reasons.includes(undefined) ? undefined : (reasons[0] ?? 'no process answers');
    },
    metrics: async () => (await askAll()).flatMap(({ metrics }) => metrics),
    async restart() {
      if (isRestarting) return;
      isRestarting = true;
      try {
        for (const worker of [...serving]) {
          await start();
          await end(worker);
        }
        log.info('every process was replaced');
      } catch (error) {
        log.error({ err: error }, 'a new process could not be started; those that serve go on');
      }
      isRestarting = false;
    },
    async stop() {
      isStopping = true;
      const codes = await Promise.all([...ended.keys()].map(end));
      return codes.every((code) => code === 0);
    },
  };

  function start(): Promise<string> {
    const worker = cluster.fork(env);
    return new Promise((resolve, reject) => {
      worker.on('message', (message: Answer | Serving) => {
        if ('answer' in message) {
          pending.get(message.answer)?.(message);
        } else {
          serving.add(worker);
          resolve(message.url);
        }
      });
      ended.set(
        worker,
        new Promise((exited) => {
          worker.once('exit', (code, signal) => {
            ended.delete(worker);
            exited(code);
            reject(new WorkerFailed('a process of the service could not be started'));
            if (!serving.delete(worker) || isStopping) return;
            log.error({ worker: worker.id, code, signal }, 'a process ended, and is replaced');
            setTimeout(replace, REPLACE_MS);
          });
        }),
      );
    });
  }

  function replace(): void {
    if (isStopping) return;
    start().catch((error: unknown) => {
      log.error({ err: error }, 'a process could not be replaced');
      setTimeout(replace, REPLACE_MS);
    });
  }

  /** @returns its exit code */
  async function end(worker: Worker): Promise<number> {
    serving.delete(worker);
    worker.process.kill('SIGTERM');
    return (await ended.get(worker)) ?? 0;
  }

  async function askAll(): Promise<Answer[]> {
    const answers = await Promise.all([...serving].map(ask));
    return answers.filter((answer) => answer !== undefined);
  }

  function ask(worker: Worker): Promise<Answer | undefined> {
    const question = (questions += 1);
    return new Promise((resolve) => {
      const timer = setTimeout(done, ANSWER_MS);
      pending.set(question, done);
      worker.send({ question } satisfies Question);

      function done(answer?: Answer): void {
        clearTimeout(timer);
        pending.delete(question);
        resolve(answer);
      }
    });
  }
}

/** In one of several processes, answers what the one that has started it asks. */
export function answerPrimary({ unreadiness, metrics }: Service): void {
  const { worker } = cluster;
  worker?.on('message', ({ question }: Question) => {
    void Promise.all([unreadiness(), metrics()]).then(([unreadiness, metrics]) => {
      if (worker.isConnected()) worker.send({ answer: question, unreadiness, metrics } satisfies Answer);
    });
  });
}
