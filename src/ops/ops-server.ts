import { createServer } from 'node:http';
import { listen } from '../http/listen.ts';
import { METRICS_TYPE, writeMetrics, type MetricsSnapshot } from './metrics.ts';

/** The listener for those who run the service. */
export type OpsServer = {
  readonly url: string;
  readonly close: () => Promise<void>;
};

export type OpsOptions = {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Why no requests should be sent to the service, if they should not; asks whatever it depends on. */
  readonly unreadiness: () => Promise<string | undefined>;
  /** Those of every process of the service. */
  readonly metrics: () => Promise<readonly MetricsSnapshot[]>;
};

type Page = { readonly status: number; readonly contentType?: string; readonly text: string };

const CONNECTIONS_MAX = 100;

/**
 * Serves `/livez`, `/readyz` and `/metrics`, apart from the API, whose listener serves nothing but the contract.
 *
 * @throws {CannotListen}
 */
export async function startOpsServer(options: OpsOptions): Promise<OpsServer> {
  const { host, port, unreadiness, metrics } = options;
  const pages: Readonly<Record<string, () => Page | Promise<Page>>> = {
    '/livez': () => ({ status: 200, text: 'live\n' }),
    '/readyz': async () => {
      const reason = await unreadiness();
      return reason === undefined ? { status: 200, text: 'ready\n' } : { status: 503, text: `not ready: ${reason}\n` };
    },
    '/metrics': async () => ({
      status: 200,
      contentType: METRICS_TYPE,
      text: await writeMetrics(await metrics()),
    }),
  };

  const server = createServer((req, res) => {
    const [path = ''] = (req.url ?? '').split('?');
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    void answer(page).then(({ status, contentType = 'text/plain; charset=utf-8', text }) => {
      res.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text);
    });

    async function answer(page: (() => Page | Promise<Page>) | undefined): Promise<Page> {
      if (page === undefined) return { status: 404, text: 'there are /livez, /readyz and /metrics\n' };
      if (req.method !== 'GET' && req.method !== 'HEAD') return { status: 405, text: 'use GET\n' };
      return page();
    }
  });
  server.maxConnections = CONNECTIONS_MAX;

  return {
    url: await listen(server, host, port),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
