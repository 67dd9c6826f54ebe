import {
  bodyLimitOf,
  type ExampleRequest,
  type Operation,
  TimeSlices,
  TOKEN_PLACEHOLDER,
} from '@contract-first/contract';
import { type CompiledDocument, optional } from '@contract-first/documents';
import type { Application } from '@contract-first/engine';
import {
  type AnyHandler,
  type AnyReply,
  createLenientCheckers,
  type DocumentText,
  hasCredentials,
  readCommandConfig,
} from '@contract-first/engine/tools';
import { readOperations } from '@contract-first/model/operations';
import { exampleRequest } from '@contract-first/model/scaffolds';
import { createValues } from '@contract-first/model/values';
import { createCallbacks } from './callbacks.ts';
import { createMemory, type Memory, type MemoryOptions } from './memory/memory.ts';
import { createFail, createPreferred, type MockRequest } from './memory/reply.ts';
import { createRecorded, type ResponseSource } from './recorded.ts';
import { createFailures } from './responses/failures.ts';
import { createFailureHeaders } from './responses/headers.ts';
import { type Delay, hasPreferences, withPreferences } from './responses/preferences.ts';
import { findInvalidExamples } from './responses/invalid-examples.ts';
import { createRespond } from './responses/respond.ts';
import { createDelay, createErrors, createRandom } from './scenarios/faults.ts';
import { createPaired } from './scenarios/example-pairs.ts';

/** The default values of options. */
export const DEFAULTS = { seed: 1, limit: 10_000 };

/** The minimum values of integer options. */
export const MINIMUMS = { seed: 0, limit: 1 };

/** The maximum value of integer options. */
export const MAX_INTEGER = 2 ** 31 - 1;

/**
 * High, since generating the first value of a large schema may block the event loop, and requests must not be rejected.
 */
export const EVENT_LOOP_DELAY_LIMIT_MS = '60000';

/** Lets every page read the responses, also with cookies. A mock has no secrets. */
const ANY_PAGE: NonNullable<Application['cors']> = {
  origins: () => true,
  credentials: true,
  maxAgeSeconds: 5, // Browsers ask again after the document has changed.
  permitsAll: true,
};

/** Simulated conditions: list sizes, delays, errors, callbacks and responses of other sources. */
export type Scenarios = {
  /** The number of items of generated lists. */
  readonly listSize?: number | undefined;
  /** The default delay of responses, if the client requests none. */
  readonly delay?: Delay | undefined;
  /** The share of requests that fail. */
  readonly errorRate?: number | undefined;
  /** The allowed hosts of callbacks besides the local machine; `undefined` disables callbacks. */
  readonly callbackHosts?: ReadonlySet<string> | undefined;
  /** Recorded responses and a service, which answer before the mock. */
  readonly sources?: readonly ResponseSource[];
};

type Options = {
  /** Determines the generated values and the failing requests. */
  readonly seed: number;
  /** The options of the memory; `undefined` for a stateless mock. */
  readonly memory: Omit<MemoryOptions, 'seed'> | undefined;
  /** The environment variables that may configure credentials. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly scenarios?: Scenarios;
};

type Mocked = {
  readonly application: Application;
  /** Validates the examples of responses. See {@link findInvalidExamples}. */
  readonly invalidExamples: () => ReturnType<typeof findInvalidExamples>;
};

const NO_DELAY: Delay = { least: 0, most: 0 };

/**
 * Creates a mock application for a document. The handlers store resources, or else respond with examples and generated
 * values.
 *
 * @param document the text for the docs page, if enabled
 * @throws {CannotCheck} with all problems in the options of the memory
 */
export function createMock(
  compiled: CompiledDocument,
  document: DocumentText | undefined,
  options: Options & { readonly memory: object },
): Mocked & { readonly memory: Memory };
export function createMock(
  compiled: CompiledDocument,
  document: DocumentText | undefined,
  options: Options,
): Mocked & { readonly memory: Memory | undefined };
export function createMock(
  compiled: CompiledDocument,
  document: DocumentText | undefined,
  { seed, memory: options, env, scenarios = {} }: Options,
) {
  const { listSize, delay = NO_DELAY, errorRate = 0, callbackHosts, sources = [] } = scenarios;
  const requests = createValues(compiled.document, seed, 'request');
  const responses = createValues(compiled.document, seed, 'response');
  const values = { requests, responses, operations: readOperations(requests.schemas, responses.schemas, '/') };
  const example = exampleRequest(compiled);
  const contract = {
    ...withPreferences(compiled.contract),
    ...optional('example', example && !hasCredentials(env) ? withAnyToken(example) : example),
  };
  const memory = options && createMemory(values, { ...options, seed });
  const errors = { rate: errorRate, random: createRandom(`${String(seed)} errors`) };
  const invalidExamples = () => findInvalidExamples(responses, Object.values(contract.operations));
  const slices = new TimeSlices();
  const closing = new AbortController();
  const callbacks = callbackHosts && createCallbacks(responses, callbackHosts, closing.signal);
  const handlers = Object.values(contract.operations).map(
    (operation) => [operation.operationId, handlerOf(operation)] as const,
  );
  const application: Application = {
    contract,
    ...optional('document', document),
    ...optional('state', memory?.describe),
    cors: ANY_PAGE,
    failures: createFailures(compiled, responses),
    failureHeaders: createFailureHeaders(contract, responses),
    open: () =>
      Promise.resolve({
        handlers: Object.fromEntries(handlers),
        checkers: createLenientCheckers(contract.securitySchemes, env),
        middleware: [createDelay(delay, createRandom(`${String(seed)} delays`)), createRecorded(sources, bodyLimit())],
        once: memory?.once ?? 'handlers',
        check: () => Promise.resolve(),
        close: async () => {
          closing.abort();
          await memory?.close();
        },
      }),
  };
  return { application, memory, invalidExamples };

  /** Returns the largest body limit of the operations. The engine has checked the environment before. */
  function bodyLimit(): number {
    const config = readCommandConfig(env, undefined);
    const configured = 'problems' in config ? 0 : config.bodyLimitBytes;
    return Math.max(configured, ...Object.values(contract.operations).map((one) => bodyLimitOf(one, configured)));
  }

  /** Creates the handler of an operation. Responses requested by preferences do not depend on the memory. */
  function handlerOf(operation: Operation): AnyHandler {
    const respond = createRespond(responses, operation, listSize);
    const remember = memory?.handle(operation, respond);
    const respondNow = memory?.respondWithin(operation, respond) ?? respond;
    const handle = createPaired(operation, values, respondNow, remember) ?? remember ?? respondNow;
    const fail = errorRate > 0 ? createErrors(operation, errors, createFail(responses, operation, respond)) : undefined;
    const respondPreferred = createPreferred(responses, operation, respond);
    const sendCallbacks = callbacks?.of(operation);
    const reply = (request: MockRequest): AnyReply =>
      hasPreferences(request) ? respondPreferred(request) : (fail?.(request) ?? handle(request));
    let ready: Promise<void> | undefined;
    return async (request: MockRequest) => {
      await (ready ??= prepare(operation));
      const made = reply(request);
      sendCallbacks?.(request, made);
      return made;
    };
  }

  /** Prepares the schemas of an operation's responses, while other requests are answered. */
  async function prepare({ operationId, responses: documented }: Operation): Promise<void> {
    for (const key of Object.keys(documented)) {
      for (const described of Object.values(responses.responseOf(operationId, key).content ?? {})) {
        const steps = responses.prepare(described);
        while (steps.next().done !== true) await slices.wait(true);
      }
    }
  }
}

/** Fills in a token, since the mock accepts any. */
function withAnyToken({ method, target, options }: ExampleRequest): ExampleRequest {
  const fill = (text: string): string => text.replaceAll(TOKEN_PLACEHOLDER, 'any');
  return { method, target: fill(target), options: options.map(([name, value]) => [name, fill(value)]) };
}
