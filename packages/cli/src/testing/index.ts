/**
 * Runs the service in the tests of an application.
 *
 * @module contract-first/testing
 */

export {
  openTestService,
  type Opened,
  type SignIn,
  type TestRequest,
  type TestResponse,
  type TestService,
} from './test-service.ts';
