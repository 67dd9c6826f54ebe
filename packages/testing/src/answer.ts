import { STATUS_CODES } from 'node:http';
import type { RequestListener } from 'node:http';
import request, { type Response } from 'supertest';
import { contract, type OperationId } from '../../../src/plants/contract.ts';
import { findResponseKey } from '@contract-first/contract';
import { statusesOf, TOKEN } from './app.ts';

/** Sends a body unchanged to POST /plants with a valid token. `headers` override the default headers. */
export async function post(
  app: RequestListener,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Response> {
  return request(app)
    .post('/plants')
    .set({ Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...headers })
    .serialize((value: unknown) => value as string)
    .send(body as string);
}

/** Registers a test that every documented status of an operation was returned. Must be the last test of its file. */
export function testEveryStatus(operationId: OperationId): void {
  test(`every documented status of ${operationId} was answered in a test`, () => {
    const operation = contract.operations[operationId];
    if (operation === undefined) throw new Error(`unknown operation ${operationId}`);
    const keys = new Set(statusesOf(operationId).map((status) => findResponseKey(operation, status)));
    expect([...keys].sort()).toEqual(Object.keys(operation.responses).sort());
  });
}

/** Asserts that a failure has the Error body and leaks no internals. */
export function expectError(response: Response, status: number, message: RegExp): void {
  expect(response.headers['content-type']).toBe('application/json');
  expect(response.body).toEqual({ error: status, message: expect.stringMatching(message) });
  expect(response.status).toBe(status);
  expectNothingLeaked(response);
}

/** Asserts that a failure consists of problem details, the default failure body, and leaks no internals. */
export function expectProblem(response: Response, status: number, detail: RegExp): void {
  expect(response.headers['content-type']).toBe('application/problem+json');
  const { errors, ...body } = response.body as { readonly errors?: unknown };
  expect(body).toEqual({ status, title: STATUS_CODES[status], detail: expect.stringMatching(detail) });
  expect(errors ?? []).toEqual(expect.any(Array));
  expect(response.status).toBe(status);
  expectNothingLeaked(response);
}

/** Asserts that neither headers nor body contain the name of a library, a file name or a stack trace. */
export function expectNothingLeaked({ headers, text }: Response): void {
  expect(headers).not.toHaveProperty('x-powered-by');
  expect(headers).not.toHaveProperty('server');
  expect(JSON.stringify(headers) + text).not.toMatch(
    /express|ajv|openapi|passport|sqlite|node_modules|\.ts\b|\bat \S+:\d+/i,
  );
}
