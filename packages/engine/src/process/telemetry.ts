import { diag, DiagLogLevel } from '@opentelemetry/api';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/**
 * The used types of `@opentelemetry/sdk-node` and `@opentelemetry/resources`, which need not be installed to compile.
 */
type Sdk = {
  readonly NodeSDK: new (options: {
    readonly resource: Resource;
    readonly metricReaders?: readonly never[] | undefined;
    readonly logRecordProcessors?: readonly never[] | undefined;
  }) => { readonly start: () => void; readonly shutdown: () => Promise<void> };
  readonly defaultResource: () => Resource;
  readonly resourceFromAttributes: (attributes: Readonly<Record<string, string>>) => Resource;
};
type Resource = { readonly merge: (other: Resource) => Resource };

/** Which signals the SDK exports besides spans. */
export type Telemetry = { readonly metrics: boolean; readonly logs: boolean };

const PACKAGES: readonly string[] = ['@opentelemetry/sdk-node', '@opentelemetry/resources'];

/** The OpenTelemetry SDK is not installed. */
export class TelemetryUnavailable extends Error {}

// How long the exit waits for the collector.
const FLUSH_MS = 1_000;

/**
 * Starts the OpenTelemetry SDK, which exports spans over OTLP. It reads its own environment variables, `OTEL_*`.
 *
 * @param telemetry whether variables name exporters of metrics and of log records
 * @param service the default name and version; environment variables override them
 * @returns a function that exports the last spans; it never rejects
 * @throws {TelemetryUnavailable}
 */
export async function startTelemetry(
  { metrics, logs }: Telemetry,
  service: { readonly name: string; readonly version: string },
  log: Logger,
): Promise<() => Promise<void>> {
  const { NodeSDK, defaultResource, resourceFromAttributes } = await loadSdk();
  const report = (problem: string): void => {
    log.warn({ problem }, 'OpenTelemetry');
  };
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN },
  );
  const named = { 'service.name': service.name, 'service.version': service.version };
  const sdk = new NodeSDK({
    resource: defaultResource().merge(resourceFromAttributes(named)),
    // Only on request, since metrics are served at /metrics, and the log is written to standard output.
    metricReaders: metrics ? undefined : [],
    logRecordProcessors: logs ? undefined : [],
  });
  sdk.start();
  return async () => {
    await Promise.race([sdk.shutdown().catch(ignore), sleep(FLUSH_MS)]);
  };
}

async function loadSdk(): Promise<Sdk> {
  try {
    const [sdk, resources] = await Promise.all(PACKAGES.map((name) => import(name) as Promise<object>));
    return { ...sdk, ...resources } as Sdk; // Checked by tracing.system.test.ts.
  } catch (error) {
    // Yarn's Plug'n'Play has the code without the prefix.
    if (!(error as NodeJS.ErrnoException).code?.endsWith('MODULE_NOT_FOUND')) throw error;
    throw new TelemetryUnavailable(
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, but the OpenTelemetry SDK is not installed: run npm install --omit=dev --no-save --save-prod ${PACKAGES.join(' ')}`,
    );
  }
}

function ignore(): void {
  // Nothing to do.
}
