import pino, { type DestinationStream, type Logger } from 'pino';
import type { AnsweredRequest, Endpoint } from '../http/observer.ts';

const BACKLOG_BYTES = 1_048_576;
const RETRY_MS = 100;

/** Functions that colour text for a terminal. */
type Colours = Readonly<Record<'green' | 'yellow' | 'red', (text: string) => string>>;
type Target = DestinationStream & { readonly flush: () => void };

/**
 * Creates a log of JSON objects, one per line; on a terminal with pino-pretty installed, formatted text. Lines are
 * written at the end of each turn of the event loop, and by `flush`.
 *
 * @param level a level of pino, or `silent`
 * @param descriptor of standard output or standard error
 */
export async function createLog(level: string, isTerminal: boolean, descriptor: 1 | 2 = 1): Promise<Logger> {
  const target = openTarget(descriptor);
  return pino({ level, base: null, serializers: { err: describeError } }, isTerminal ? await prettify(target) : target);
}

/** Describes an error for the log. Reading its properties may throw, which must not end the service. */
function describeError(error: Error): object {
  try {
    return pino.stdSerializers.err(error);
  } catch {
    return { type: 'Error', message: 'an error whose properties cannot be read' };
  }
}

/**
 * Opens a standard stream that never blocks. While the disk is full or the reader of the pipe is slow, lines wait in a
 * backlog; lines beyond its size are dropped.
 */
function openTarget(descriptor: 1 | 2): Target {
  let retry: NodeJS.Timeout | undefined;
  let lines = '';
  // Node makes pipes non-blocking. By default, pino would wait while a pipe is full and block the event loop.
  const target = pino.destination({ dest: descriptor, sync: true, maxLength: BACKLOG_BYTES, retryEAGAIN: () => false });
  target.on('error', () => {
    retry ??= setTimeout(() => {
      retry = undefined;
      target.write('');
    }, RETRY_MS).unref();
  });
  return { write, flush };

  /** Collects the lines of one turn: a system call per line would cost as much as the line itself. */
  function write(line: string): void {
    if (lines === '') setImmediate(flush);
    lines += line;
  }

  function flush(): void {
    target.write(lines);
    lines = '';
  }
}

async function prettify(target: Target): Promise<Target> {
  const { prettyFactory } = await import('pino-pretty').catch((error: unknown) => {
    // Yarn's Plug'n'Play has the code without the prefix.
    if ((error as NodeJS.ErrnoException).code?.endsWith('MODULE_NOT_FOUND')) return { prettyFactory: undefined };
    throw error;
  });
  const pretty = prettyFactory?.({
    colorize: true,
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    ignore: 'requestId,operationId,route,method,status,durationMs,caller,clientAddress,traceId,parentId,spanId',
    // Only answered requests are logged without a message.
    messageFormat: (line, messageKey, _level, { colors }) => {
      const { [messageKey]: message, requestId } = line;
      if (typeof message !== 'string') return describeRequest(line as AnsweredRequest & Partial<Endpoint>, colors);
      return typeof requestId === 'string' ? `${message}  ${requestId}` : message;
    },
    customColors: 'message:reset',
    useOnlyCustomProps: false, // Keeps the default colours of the levels.
  });
  if (pretty === undefined) return target;
  return {
    write: (line) => {
      target.write(pretty(escapeControlsInJson(line)));
    },
    flush: target.flush,
  };
}

/**
 * Escapes control characters in the values of JSON text, except line breaks and tabs, since they would control the
 * terminal. `JSON.stringify` escapes C0 characters, but not DEL and C1 (ECMA-48).
 */
function escapeControlsInJson(json: string): string {
  return json.replaceAll(/\\[^]|[\x7f-\x9f]/g, (match) => {
    if (!match.startsWith('\\')) return `\\\\u00${match.charCodeAt(0).toString(16)}`;
    return /[ubfr]/.test(match) ? `\\${match}` : match;
  });
}

function describeRequest(
  { status, method, operationId, durationMs, caller }: AnsweredRequest & Partial<Endpoint>,
  { green, yellow, red }: Colours,
): string {
  const colour = status === undefined || status >= 500 ? red : status >= 400 ? yellow : green;
  const columns = [
    colour(String(status ?? 'gone').padEnd(4)),
    (method ?? '').padEnd(7),
    (operationId ?? '').padEnd(20),
    (durationMs === undefined ? '' : `${durationMs.toFixed(1)} ms`).padStart(10),
    // A token's issuer chooses `sub`, which must not control the terminal.
    (caller ?? '').replaceAll(/\p{C}/gu, '\ufffd'),
  ];
  return columns.join('  ').trimEnd();
}

/** Creates a log that writes nothing, and passes the cause of each failed request to a function. */
export function createErrorLog(report: (requestId: string, cause: object) => void): Logger {
  const logMethod = ([line]: readonly unknown[]): void => {
    const { requestId, err } = Object(line) as { readonly requestId?: unknown; readonly err?: unknown };
    if (typeof requestId === 'string' && err instanceof Object) report(requestId, err);
  };
  return pino({ level: 'error', hooks: { logMethod } });
}

/** Creates a log that writes nothing. */
export function createSilentLog(): Logger {
  return pino({ level: 'silent' });
}
