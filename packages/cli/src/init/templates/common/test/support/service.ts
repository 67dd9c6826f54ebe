import { afterAll, beforeAll } from '@jest/globals';
import { openTestService, type TestRequest, type TestService } from 'contract-first/testing';
import { application } from '../../src/service.ts';

export type { TestRequest };

/** Starts the service before the tests of a file, with an empty store. Every security scheme accepts `test-token`. */
export function startTestService(): Pick<TestService, 'send'> {
  let service: TestService | undefined;
  beforeAll(async () => {
    service = await openTestService(application);
  });
  afterAll(async () => {
    await service?.close();
  });
  return {
    send: async (request) => {
      if (service === undefined) throw new Error('the service has not started');
      return service.send(request);
    },
  };
}
