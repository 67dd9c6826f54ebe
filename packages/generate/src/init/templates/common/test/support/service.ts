import { afterAll, beforeAll } from '@jest/globals';
import { openTestService, type Opened, type SignIn, type TestRequest, type TestService } from 'contract-first/testing';
import { application } from '../../src/service.ts';

export type { TestRequest };

type Parts = Opened<typeof application>;

/** The variables of all tests: the settings that the application requires. */
const VARIABLES: Readonly<Record<string, string>> = {};

/**
 * Signs in the user of all tests, if the service issues its own tokens: sends a request, and returns the credentials of
 * the response. Without it, every security scheme accepts `test-token`, of the caller `test`.
 */
const signIn: SignIn | undefined = undefined;

/**
 * Starts the service before the tests of a file, with an empty store.
 *
 * @param replace returns replacements for some parts of the application: `({ store }) => ({ handlers: createHandlers(…) })`
 * @param variables of the environment, such as settings of the application
 * @returns a function that returns the service, for the tests
 */
export function startTestService(
  replace?: (parts: Parts) => Partial<Parts>,
  variables?: Readonly<Record<string, string>>,
) {
  let service: TestService<typeof application> | undefined;
  beforeAll(async () => {
    service = await openTestService(application, replace, { ...VARIABLES, ...variables }, signIn);
  });
  afterAll(async () => {
    await service?.close();
  });
  return () => {
    if (service === undefined) throw new Error('the service has not started');
    return service;
  };
}
