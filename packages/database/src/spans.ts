import {
  ProxyTracer,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { BatchDatabase, Database, Definition } from './database.ts';
import type { Query, Dialect } from './sql.ts';

/** The name and the attributes of an operation's span. */
type Operation = { readonly name: string; readonly attributes: Attributes };

/**
 * Adds OpenTelemetry spans to a database: a span for each insert, write, transaction, read and stream, from the call to
 * the result, including the time in the queue. Names and attributes follow the semantic conventions for databases. They
 * contain no values of statements.
 *
 * @returns the database itself when no SDK is registered with the OpenTelemetry API
 */
export function addSpans(
  database: Database | BatchDatabase<unknown>,
  definition: Definition | (Definition & { readonly insert: { readonly table: string } }),
  engine: Dialect['engine'],
): Database | BatchDatabase<unknown> {
  const tracer = trace.getTracer('database');
  if (tracer instanceof ProxyTracer) return database;
  const operationOf = (...queries: readonly Query[]): Operation => describe(queries, engine);
  const { once } = database;
  const traced: Database = {
    ...database,
    write: (...queries) => record(tracer, operationOf(...queries), () => database.write(...queries)),
    transaction: (work) => record(tracer, transactionOf(engine), () => database.transaction(work)),
    ...(once && { once: (key, work) => record(tracer, transactionOf(engine), () => once(key, work)) }),
    read: (query) => record(tracer, operationOf(query), () => database.read(query)),
    stream: (query) => recordStream(tracer, operationOf(query), () => database.stream(query)),
  };
  if (!('insert' in database) || !('insert' in definition)) return traced;
  const { table } = definition.insert;
  const attributes = { 'db.system.name': systemOf(engine), 'db.operation.name': 'INSERT', 'db.collection.name': table };
  const insert = { name: `INSERT ${table}`, attributes };
  return { ...traced, insert: (row, key) => record(tracer, insert, () => database.insert(row, key)) };
}

function describe(queries: readonly Query[], engine: Dialect['engine']): Operation {
  const texts = queries.map((query) => query.write({ engine }, []));
  const commands = new Set(texts.map((text) => /\w+/.exec(text)?.[0].toUpperCase() ?? ''));
  const [command = ''] = commands;
  const isBatch = texts.length > 1;
  const name = isBatch ? `BATCH ${commands.size === 1 ? command : ''}`.trimEnd() : command;
  return {
    name,
    attributes: {
      'db.system.name': systemOf(engine),
      'db.operation.name': name,
      'db.query.text': texts.join('; '),
      ...(isBatch && { 'db.operation.batch.size': texts.length }),
    },
  };
}

/** Returns the span of a transaction. Its statements are not known when it begins. */
function transactionOf(engine: Dialect['engine']): Operation {
  return {
    name: 'TRANSACTION',
    attributes: { 'db.system.name': systemOf(engine), 'db.operation.name': 'TRANSACTION' },
  };
}

function systemOf(engine: Dialect['engine']): string {
  return engine === 'postgres' ? 'postgresql' : engine;
}

async function record<Result>(tracer: Tracer, operation: Operation, run: () => Promise<Result>): Promise<Result> {
  const span = start(tracer, operation);
  try {
    return await run();
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    span.end();
  }
}

async function* recordStream<Row>(
  tracer: Tracer,
  operation: Operation,
  read: () => AsyncIterable<Row>,
): AsyncGenerator<Row> {
  const span = start(tracer, operation);
  try {
    yield* read();
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    span.end();
  }
}

function start(tracer: Tracer, { name, attributes }: Operation): Span {
  return tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
}

function fail(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof Error ? error.constructor.name : '_OTHER');
  span.setStatus({ code: SpanStatusCode.ERROR });
}
