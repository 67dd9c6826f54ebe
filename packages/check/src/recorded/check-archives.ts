import type { OpenApiDocument } from '@contract-first/documents';
import { CannotCheck } from '@contract-first/model/values';
import { readBaseUrl } from '../run/base-url.ts';
import { prepareConclusion } from '../reports/conclusion.ts';
import type { ContractResult } from '../run/contract-result.ts';
import type { CheckObserver } from '../judgement/observation.ts';
import type { CheckOptions } from '../options/options.ts';
import { readDocument } from '../run/read-document.ts';
import { openReports } from '../reports/open-reports.ts';
import { type HarEntry, readHar } from '@contract-first/model/requests';
import { createRecorder } from './recorder.ts';

const MAX_NAMES = 10;
const OR = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/**
 * Judges the requests and responses of HTTP archives without sending requests. Returns the exit code.
 *
 * @throws {CannotCheck} if an archive cannot be read, or has requests to several servers
 */
export async function checkArchives(options: CheckOptions): Promise<number> {
  const { isProtocolFolded, repeatLine } = options;
  const { document, invalid, locate } = await readDocument(options.documentPath, options.allowedRefs, options.tls);
  const { conclude } = prepareConclusion(options, invalid);
  const reports = openReports(options.reports);
  const shared = { redactor: undefined, repeatLine, locate, isProtocolFolded };
  let onExchange: CheckObserver | undefined;
  let result: ContractResult | undefined;
  let problem: string | undefined;
  try {
    const entries = options.archives.flatMap(readHar);
    const base = options.url === undefined ? undefined : readBaseUrl(options.url);
    const origin = base?.url.origin ?? originOf(entries, document);
    const report = { ...shared, baseUrl: origin };
    onExchange = reports.start(report);
    const recorder = createRecorder({ ...options, document, servedAt: base?.servedAt, onExchange });
    for (const entry of entries) {
      if (entry.origin !== origin) recorder.skip(`requests to ${entry.origin ?? 'URLs that are not of HTTP'}`);
      else if (entry.isAborted) recorder.skip('requests without a response');
      else recorder.judge(entry.exchange);
    }
    const concluded = conclude(recorder.result(), report);
    result = concluded.result;
    return concluded.exitCode;
  } catch (error) {
    problem = (error as Error).message; // No other values are thrown.
    if (onExchange === undefined) reports.start({ ...shared, baseUrl: '' }); // Reports then contain only the problem.
    throw error;
  } finally {
    reports.finish(result, problem);
  }
}

/** Returns the recorded origin, preferably one of the document's servers. @throws {CannotCheck} unless it is unique */
function originOf(entries: readonly HarEntry[], { servers = [] }: OpenApiDocument): string {
  const recorded = [...new Set(entries.flatMap(({ origin }) => origin ?? []))];
  // Validated document.
  const documented = (servers as readonly { readonly url: string }[]).flatMap(
    ({ url }) => URL.parse(url)?.origin ?? [],
  );
  const known = recorded.filter((origin) => documented.includes(origin));
  const [first, second] = known.length > 0 ? known : recorded;
  if (first === undefined) throw new CannotCheck('the archive has no request over HTTP');
  if (second === undefined) return first;
  const names = (known.length > 0 ? known : recorded).slice(0, MAX_NAMES);
  throw new CannotCheck(`the archive has requests to several servers; name one: --url ${OR.format(names)}`);
}
