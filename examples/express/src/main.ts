import express, { type Request, type Response } from 'express';
import type { AddressInfo } from 'node:net';
import { openService } from '@contract-first/engine';
import { application } from './service.ts';

const service = await openService(application);

const app = express();
app.get('/health', async (_req: Request, res: Response) => {
  const problem = await service.readinessProblem();
  res.status(problem === undefined ? 200 : 503).send(problem ?? 'ready');
});
app.use('/v1', service.middleware);

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  console.log(`Orders  ${url}`);
  process.send?.({ url }); // To contract-first check.
});
process.once('SIGTERM', () => {
  server.close();
  void service.close();
});
