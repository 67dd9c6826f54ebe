import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from './service.ts';

/**
 * Creations by several clients, each with one request at a time, until they are stopped or the service is unavailable.
 */
export type Load = {
  /** The creations as lines of `export --history`. */
  readonly sent: ReadonlySet<string>;
  readonly acknowledged: ReadonlySet<string>;
  /**
   * The number of failures by status, by error code for requests on a reused connection, or as `NOT_CONNECTED` for new
   * connections, which the service may not have accepted.
   */
  readonly failures: ReadonlyMap<string, number>;
  /** Resolves once a condition holds; rejects if the clients give up first. */
  readonly until: (condition: () => boolean) => Promise<void>;
  /** Resolves once `count` more creations have been acknowledged; rejects if the clients give up first. */
  readonly acknowledges: (count: number) => Promise<void>;
  /** Stops the clients after their current requests. */
  readonly stop: () => Promise<void>;
  /** Resolves when every client has given up because the service no longer responds. */
  readonly ended: Promise<void>;
};

const NAMES = ['Anna', '', '\u0000', '\ud800', '🌿', '"\\\n', 'é'];
let created = 0n;

/**
 * Starts creating guests, or plants, each with a unique id and tag.
 *
 * @param services the targets, which each client uses in turn
 * @param path the path of the operation that creates them
 */
export function startCreations(
  services: ServiceProcess | readonly ServiceProcess[],
  clients: number,
  path = '/guests',
): Load {
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

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) {
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

  function post({ url, token }: ServiceProcess, body: string): Promise<string> {
    return new Promise((resolve) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const req = request(`${url}${path}`, { method: 'POST', agent, headers }, (res) => {
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
