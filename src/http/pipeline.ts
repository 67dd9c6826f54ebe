import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import type { Logger } from 'pino';
import type { Authenticate } from '../auth/authenticator.ts';
import type { Contract } from '../contract/contract.ts';
import { reviveInt64s } from '../contract/int64.ts';
import type { Operation } from '../contract/operation.ts';
import { createValidator, InvalidRequest, type OperationValidator } from '../contract/validator.ts';
import { answerFailure, answerReply, send, type Answer, type AnyReply } from './answer.ts';
import { readBody } from './body.ts';
import { Failure, unexpectedFailure } from './failure.ts';
import { createRouter } from './router.ts';

/** A handler of any operation, whatever it takes. */
export type AnyHandler = (request: never) => Promise<AnyReply>;

export type PipelineOptions = {
  readonly contract: Contract;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly authenticate: Authenticate;
  readonly bodyLimitBytes: number;
  readonly log: Logger;
};

/**
 * The path of every request: log, route, authenticate, read the body, validate, handle, answer.
 *
 * @returns a request listener that answers whatever comes, also usable as Express middleware
 */
export function createPipeline({ contract, handlers, authenticate, bodyLimitBytes, log }: PipelineOptions) {
  const route = createRouter(contract.operations);
  const validators = new Map<string, OperationValidator>();

  return (req: IncomingMessage, res: ServerResponse): void => {
    void respond(req, res);
  };

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const { operation, answer } = await serve(req);
    const status = sendOrFail(req, res, answer);
    const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
    log.info({ operationId: operation?.operationId, method: req.method, status, durationMs });
  }

  async function serve(req: IncomingMessage): Promise<{ operation: Operation | undefined; answer: Answer }> {
    let operation;
    try {
      const { method = '', url = '' } = req;
      const [path, query] = splitOnce(url, '?');
      operation = route(method, path);
      const validator = validatorOf(operation);
      await admit(req, operation);
      const body = await readAndValidate(req, operation, validator, query);
      return { operation, answer: answerReply(operation, validator, await handle(operation, body)) };
    } catch (error) {
      const failure = error instanceof Failure ? error : unexpectedFailure();
      if (failure !== error) log.error({ operationId: operation?.operationId, err: error }, 'request failed');
      return { operation, answer: answerFailure(failure) };
    }
  }

  async function admit(req: IncomingMessage, operation: Operation): Promise<void> {
    const challenge = await authenticate(operation, singleAuthorization(req));
    if (challenge === undefined) return;
    const message = 'send one valid bearer token: Authorization: Bearer <ACCESS_TOKEN>';
    throw new Failure(401, message, { 'WWW-Authenticate': challenge });
  }

  async function readAndValidate(
    req: IncomingMessage,
    operation: Operation,
    validator: OperationValidator,
    query: string,
  ): Promise<unknown> {
    const body = await readBody(req, operation, bodyLimitBytes);
    try {
      validator.request({
        target: req.url ?? '',
        headers: req.headers,
        query: parseQuery(query),
        mediaType: body?.mediaType,
        body: body?.json.root[''],
      });
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
      throw new Failure(400, error.message);
    }
    if (body === undefined) return undefined;
    const shape = operation.requestBody?.content[body.mediaType]?.int64s;
    const problems = reviveInt64s(body.json, shape, contract.int64Shapes);
    if (problems.length > 0) throw new Failure(400, problems.join(', '));
    return body.json.root[''];
  }

  async function handle({ operationId }: Operation, body: unknown): Promise<AnyReply> {
    const handler = Object.hasOwn(handlers, operationId) ? handlers[operationId] : undefined;
    if (handler === undefined) throw new Failure(501, `${operationId} is not implemented yet`);
    try {
      return await handler({ body } as never); // What has passed the validator is what the handler takes.
    } catch (error) {
      // Whatever a handler throws is a bug, even if it looks like a failure of the pipeline.
      throw new Error(`the handler of ${operationId} threw`, { cause: error });
    }
  }

  function sendOrFail(req: IncomingMessage, res: ServerResponse, answer: Answer): number {
    try {
      send(req, res, answer);
      return answer.status;
    } catch (error) {
      log.error({ err: error }, 'the answer could not be sent');
      const failure = unexpectedFailure();
      send(req, res, answerFailure(failure));
      return failure.status;
    }
  }

  function validatorOf(operation: Operation): OperationValidator {
    const known = validators.get(operation.operationId);
    if (known !== undefined) return known;
    const validator = createValidator(contract.document, operation);
    validators.set(operation.operationId, validator);
    return validator;
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** The Authorization header; `undefined` when there are several, of which Node would silently take the first. */
function singleAuthorization({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const isAuthorization = (name: string, index: number): boolean =>
    index % 2 === 0 && name.length === 13 && name.toLowerCase() === 'authorization';
  return rawHeaders.filter(isAuthorization).length === 1 ? headers.authorization : undefined;
}
