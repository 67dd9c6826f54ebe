import { test } from '@jest/globals';
import { startTestService } from './support/service.ts';

const service = startTestService();

test('404: a path that the document does not have', async () => {
  const target = '/missing'.repeat(50);
  await service().send({ method: 'GET', target, headers: [] }, 404);
});
