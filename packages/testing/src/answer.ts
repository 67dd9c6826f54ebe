import { STATUS_CODES } from 'node:http';
import type { RequestListener } from 'node:http';
import request, { type Response } from 'supertest';
import { TOKEN } from './serve-application.ts';

/** Sends a body unchanged to POST /guests, or to another path, with a valid token. `headers` override the default headers. */
export async function post(
  app: RequestListener,
  body: string | Buffer,
  headers: Record<string, string> = {},
  path = '/guests',
): Promise<Response> {
  return request(app)
    .post(path)
    .set({ Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...headers })
    .serialize((value: unknown) => value as string)
    .send(body as string);
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
