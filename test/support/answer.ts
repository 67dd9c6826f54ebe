import { expect } from '@jest/globals';
import type { Express } from 'express';
import request, { type Response } from 'supertest';
import { TOKEN } from './app.ts';

/** Sends a body, byte for byte, to POST /plants with a valid token. Headers replace the usual ones by name. */
export async function post(
  app: Express,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Response> {
  return request(app)
    .post('/plants')
    .set({ Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...headers })
    .serialize((value: unknown) => value as string)
    .send(body as string);
}

/** Checks what every failure has in common: the Error body, and nothing that gives the inside away. */
export function expectError(response: Response, status: number, message: RegExp): void {
  expect(response.headers['content-type']).toBe('application/json');
  expect(response.body).toEqual({ error: status, message: expect.stringMatching(message) });
  expect(response.status).toBe(status);
  expectNothingLeaked(response);
}

/** Checks that neither headers nor body name a library, a file or a stack. */
export function expectNothingLeaked({ headers, text }: Response): void {
  expect(headers).not.toHaveProperty('x-powered-by');
  expect(headers).not.toHaveProperty('server');
  expect(JSON.stringify(headers) + text).not.toMatch(
    /express|ajv|openapi|passport|sqlite|node_modules|\.ts\b|\bat \S+:\d+/i,
  );
}
