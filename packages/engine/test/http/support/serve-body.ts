import request from 'supertest';
import type { ValidRequest } from '../../../src/http/handle/validate-request.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

/** The YAML schema of an object with a field of each kind, for forms and uploads. */
export const FIELDS = `{ type: object, required: [name], properties: {
  name: { type: string }, count: { type: integer }, id: { type: integer, format: int64 }, ready: { type: boolean },
  tags: { type: array, items: { type: string } }, size: { type: object, properties: { width: { type: integer, format: int64 } } },
  photo: { type: string, format: binary }, pages: { type: array, items: { type: string, format: binary } },
  level: { type: integer, default: 3 } } }`;

const NO_CONTENT = "responses: { '204': { description: Done. } }";

/** Serves POST /a with a request body described in YAML. `received` contains the inputs of the handler. */
export async function serveBody(requestBody: string, bodyLimitBytes = 100_000) {
  const received: ValidRequest[] = [];
  const contract = await contractOf(documentOf('/a', 'post', `requestBody: ${requestBody}\n${NO_CONTENT}`));
  const op = async (got: never) => {
    received.push(got);
    return { status: 204 };
  };
  const { app } = await createTestApp({ contract, handlers: { op }, bodyLimitBytes });
  const send = (contentType: string | undefined, body?: string | Buffer) => {
    const sending = request(app)
      .post('/a')
      .serialize((value: unknown) => value as string);
    if (contentType !== undefined) void sending.set('Content-Type', contentType);
    return body === undefined ? sending : sending.send(body as string);
  };
  return { app, received, send };
}
