import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './service.ts';

/** Creations sent by several clients, one after another each, until they are stopped or the service is gone. */
export type Load = {
  /** The lines that `export --history` would have for them. */
  readonly sent: ReadonlySet<string>;
  readonly acknowledged: ReadonlySet<string>;
  /**
   * How often something else than 200 came, by status; or by the code of the error, for a request on a connection that
   * had worked before; or `NOT_CONNECTED`, for one on a new connection, which nobody may have accepted.
   */
  readonly failures: ReadonlyMap<string, number>;
  /** Resolves once something is so; rejects when the clients have given up before. */
  readonly until: (isSo: () => boolean) => Promise<void>;
  /** Resolves once so many more have been acknowledged; rejects as above. */
  readonly acknowledges: (count: number) => Promise<void>;
  /** Lets every client finish its request. */
  readonly stop: () => Promise<void>;
  /** Resolves when every client has given up, as the service does not answer any more. */
  readonly ended: Promise<void>;
};

const NAMES = ['Fern', '', '\u0000', '\ud800', '🌿', '"\\\n', 'é'];
let created = 0n;

/**
 * Starts creating plants, each with an id and a tag of its own.
 *
 * @param services a client turns to the next of them with every plant
 */
export function createUntilStopped(services: Service | readonly Service[], clients: number): Load {
  const sent = new Set<string>();
  const acknowledged = new Set<string>();
  const failures = new Map<string, number>();
  const targets = [services].flat();
  const agent = new Agent({ keepAlive: true });
  let isStopped = false;
  let hasEnded = false;
  const ended = Promise.all(Array.from({ length: clients }, client)).then(() => {
    hasEnded = true;
    agent.destroy();
  });

  return {
    sent,
    acknowledged,
    failures,
    ended,
    until,
    async acknowledges(count) {
      const all = acknowledged.size + count;
      await until(() => acknowledged.size >= all);
    },
    async stop() {
      isStopped = true;
      await ended;
    },
  };

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (hasEnded) throw new Error(`the clients have given up: ${JSON.stringify([...failures])}`);
      await sleep(5);
    }
  }

  async function client(): Promise<void> {
    while (!isStopped) {
      created += 1n;
      const name = NAMES[Number(created) % NAMES.length];
      const line = `{"id":${String(2n ** 63n - created)},"name":${JSON.stringify(name)},"tag":"${String(created)}"}`;
      sent.add(line);
      const target = targets[Number(created) % targets.length];
      const outcome = target === undefined ? 'no service' : await post(target, line);
      if (outcome === '200') acknowledged.add(line);
      else failures.set(outcome, (failures.get(outcome) ?? 0) + 1);
      if (!/^\d+$/.test(outcome)) return;
    }
  }

  function post({ url, token }: Service, body: string): Promise<string> {
    return new Promise((resolve) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const req = request(`${url}/plants`, { method: 'POST', agent, headers }, (res) => {
        res.resume().once('close', () => {
          resolve(res.complete ? String(res.statusCode) : 'an answer that ends early');
        });
      });
      req.once('error', (error: NodeJS.ErrnoException) => {
        resolve(req.reusedSocket ? (error.code ?? error.message) : 'NOT_CONNECTED');
      });
      req.end(body);
    });
  }
}
