import type { RequestListener } from 'node:http';
import { METRICS_TYPE } from './metrics.ts';

type OpsOptions = {
  /** Checks the dependencies. Returns why the service is not ready; `undefined` when it is. Never rejects. */
  readonly readinessProblem: () => Promise<string | undefined>;
  /** Returns the metrics in Prometheus' text format. */
  readonly metrics: () => Promise<string>;
};

type Page = { readonly status: number; readonly contentType?: string; readonly text: string };

/** Limits of the listener. Its clients are few and local. */
export const OPS_LIMITS = {
  headerLimitBytes: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 10_000,
  keepAliveTimeoutMs: 65_000,
  connectionLimit: 100,
};

/**
 * Creates a listener for `/livez`, `/readyz` and `/metrics`. It has its own port, since the API serves only the
 * contract.
 */
export function createOpsListener({ readinessProblem, metrics }: OpsOptions): RequestListener {
  const pages: Readonly<Record<string, () => Page | Promise<Page>>> = {
    '/livez': () => ({ status: 200, text: 'live\n' }),
    '/readyz': async () => {
      const reason = await readinessProblem();
      return reason === undefined ? { status: 200, text: 'ready\n' } : { status: 503, text: `not ready: ${reason}\n` };
    },
    '/metrics': async () => ({
      status: 200,
      contentType: METRICS_TYPE,
      text: await metrics(),
    }),
  };

  return ({ method, url = '' }, res) => {
    void findPage().then(({ status, contentType = 'text/plain; charset=utf-8', text }) => {
      res.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text);
    });

    async function findPage(): Promise<Page> {
      const [path = ''] = url.split('?');
      const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
      if (page === undefined) return { status: 404, text: 'there are /livez, /readyz and /metrics\n' };
      if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'use GET\n' };
      return page();
    }
  };
}
