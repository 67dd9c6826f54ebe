import express, { type NextFunction, type Request, type Response } from 'express';
import request from 'supertest';
import { expectError, post } from '@contract-first/testing/answer.ts';
import { createTestApp } from '@contract-first/testing/app.ts';

const PLANT = '{"id":1,"name":"Basil"}';

test('own middleware comes before the operations, and answers paths that the document does not have: 200', async () => {
  const hook = express.Router().post('/hooks/payment', express.json(), (req: Request, res: Response) => {
    res.json({ received: (req.body as { id: number }).id });
  });
  const { app } = await createTestApp({ middleware: [hook] });
  const response = await request(app).post('/hooks/payment').send({ id: 7 });
  expect([response.status, response.body]).toEqual([200, { received: 7 }]);
  expect((await post(app, PLANT)).status).toBe(200);
  expectError(await request(app).get('/hooks/payment'), 404, /^this path does not exist$/);
});

test('own middleware adds to requests and responses of the operations: 200', async () => {
  const mark = (_req: Request, res: Response, next: NextFunction) => {
    res.setHeader('x-mark', 'seen');
    next();
  };
  const { app } = await createTestApp({ middleware: [mark] });
  const response = await post(app, PLANT);
  expect([response.status, response.headers['x-mark']]).toEqual([200, 'seen']);
});

test('an error of own middleware is logged, and told to nobody: 500', async () => {
  const fail = (): never => {
    throw new Error('secret');
  };
  const { app, logged } = await createTestApp({ middleware: [fail] });
  expectError(await post(app, PLANT), 500, /failed/);
  expect(JSON.stringify(logged)).toContain('secret');
});

test('a body that own middleware has read is not taken for an empty one: 500, and the log says why', async () => {
  const { app, logged } = await createTestApp({ middleware: [express.json()] });
  expectError(await post(app, PLANT), 500, /failed/);
  expect(JSON.stringify(logged)).toContain('no body parser may be used before the operations');
});
