import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFormatConverter } from '@contract-first/contract';
import type { Application, Checker, OpenOptions } from '@contract-first/engine';
import {
  createLenientCheckers,
  createErrorLog,
  createSilentLog,
  type LinkParameters,
  operationUrl,
  startSilently,
} from '@contract-first/engine/tools';
import { openConnection } from '@contract-first/model/requests';

/** A serialized request. */
export type TestRequest = {
  readonly method: string;
  /** The path and the query. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
};

/** A response, validated by the service against the document. */
export type TestResponse = {
  readonly status: number;
  /** The headers in order, with lower-case names. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
};

/** The result of an application's `open`: its handlers and other parts. */
export type Opened<Tested extends Application> = Awaited<ReturnType<Tested['open']>>;

/** A running service for tests. */
export type TestService<Tested extends Application> = {
  /**
   * Sends a request and returns its response.
   *
   * @param status the expected status
   * @throws an error with the response if it has another status; the cause of a 500 is the error of the handler
   */
  readonly send: (request: TestRequest, status?: number) => Promise<TestResponse>;
  /**
   * Calls a handler without HTTP and validation, as the caller `test`. Missing parts of the request are empty.
   */
  readonly call: <Id extends keyof Opened<Tested>['handlers']>(
    operationId: Id,
    ...request: [] | [Partial<Parameters<Opened<Tested>['handlers'][Id]>[0]>]
  ) => ReturnType<Opened<Tested>['handlers'][Id]>;
  /** The opened parts of the application, such as its store. */
  readonly opened: Opened<Tested>;
  /** Stops the service and removes its store. */
  readonly close: () => Promise<void>;
};

/** Signs in a user of a service that issues its own tokens. Returns the credentials of its requests. */
export type SignIn = (send: (request: TestRequest) => Promise<TestResponse>) => Promise<string>;

const [CALLER, TOKEN] = ['test', 'test-token'];
const PRINTED_CHARACTERS = 10_000;
const ENVIRONMENT = { API_TOKENS: `${CALLER}:${TOKEN}` };

/**
 * Starts a service on a free port, with an empty store. Every security scheme accepts `test-token` for the caller
 * `test`; with `signIn`, the application checks credentials itself, and requests have the credentials of the signed-in
 * user in place of `test-token`.
 *
 * @param replace returns replacements for opened parts, such as handlers with a different clock, or checkers under test
 * @param variables the environment variables; settings without a default are required
 */
export async function openTestService<Tested extends Application>(
  application: Tested,
  replace: (opened: Opened<Tested>) => Partial<Opened<Tested>> = () => ({}),
  variables: Readonly<Record<string, string>> = {},
  signIn?: SignIn,
): Promise<TestService<Tested>> {
  const folder = await mkdtemp(join(tmpdir(), 'service-'));
  const environment = { ...ENVIRONMENT, DATABASE_URL: `sqlite:${join(folder, 'test.db')}`, ...variables };
  const accepted = createLenientCheckers(application.contract.securitySchemes, { API_TOKENS: TOKEN });
  const checkers = Object.fromEntries(Object.entries(accepted).map(([name, check]) => [name, asCaller(check)]));
  const parts = Promise.withResolvers<Opened<Tested>>();
  const open = async (options: OpenOptions) => {
    const original = (await application.open(options)) as Opened<Tested>; // By the type of the application.
    const replacements = replace(original);
    const replaced = { ...original, ...replacements };
    parts.resolve(replaced);
    return signIn === undefined ? { ...replaced, checkers: { ...checkers, ...replacements.checkers } } : replaced;
  };
  const causes = new Map<string, object>();
  const log = createErrorLog((requestId, cause) => causes.set(requestId, cause));
  const service = await startSilently({ ...application, open }, environment, log);
  const opened = await parts.promise;
  const { contract, formats } = application;
  const converter = createFormatConverter(contract, formats);
  const urlOf: UrlOf = (operationId, parameters) =>
    operationUrl(
      contract,
      converter,
      { req: {}, route: undefined, path: '' },
      'http://localhost',
      operationId,
      parameters,
    );
  const credentials = (await signIn?.(send)) ?? TOKEN;
  const sign = (text: string): string => text.replaceAll(TOKEN, () => credentials);
  return {
    opened,
    call(operationId, ...[request = {}]) {
      const handler = opened.handlers[operationId as string]; // Keys are strings.
      if (handler === undefined) throw new Error(`${String(operationId)} has no handler`);
      // The handler of this operation.
      return handler(requestOf(request, urlOf) as never) as ReturnType<Opened<Tested>['handlers'][typeof operationId]>;
    },
    async send(request, status) {
      const response = await send({
        ...request,
        target: sign(request.target),
        headers: request.headers.map(([name, value]) => [name, sign(value)]),
      });
      const cause = takeCause(response);
      if (status === undefined || response.status === status) return response;
      const summary = `${request.method} ${request.target} got status ${String(response.status)} instead of ${String(status)}`;
      throw new Error(`${summary}\n${response.body.slice(0, PRINTED_CHARACTERS)}`, cause && { cause });
    },
    async close() {
      await service.stop(0);
      await rm(folder, { recursive: true });
    },
  };

  /** Removes and returns the error behind a response. */
  function takeCause({ headers }: TestResponse): object | undefined {
    const id = headers.find(([name]) => name === 'x-request-id')?.[1] ?? '';
    const cause = causes.get(id);
    causes.delete(id);
    return cause;
  }

  async function send({ body, ...request }: TestRequest): Promise<TestResponse> {
    const connection = openConnection(new URL(service.url));
    try {
      const response = await connection.sendOnce({
        ...request,
        body: body === undefined ? undefined : Buffer.from(body),
      });
      return { ...response, body: response.body.toString() };
    } finally {
      connection.close();
    }
  }
}

/** Wraps a checker so that its identities have the name of the test caller. */
function asCaller(check: Checker): Checker {
  return async (credentials) => {
    const identity = await check(credentials);
    return identity && { ...identity, name: CALLER };
  };
}

type UrlOf = (operationId: string, parameters?: LinkParameters) => string;

/** Adds missing parts to the request of a handler. */
function requestOf(request: { readonly body?: unknown }, url: UrlOf) {
  return {
    path: {},
    query: {},
    headers: {},
    cookies: {},
    contentType: request.body === undefined ? undefined : 'application/json',
    body: undefined,
    caller: { name: CALLER, scheme: 'test' },
    requestId: 'test',
    rawHeaders: {},
    accepts: (mediaType: string) => mediaType,
    assertMatch: () => undefined,
    url,
    signal: new AbortController().signal,
    log: createSilentLog(),
    ...request,
  };
}
