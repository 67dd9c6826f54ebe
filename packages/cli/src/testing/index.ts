// For the tests of an application.

export { openTestService, type Opened, type TestRequest, type TestResponse, type TestService } from './test-service.ts';
export { findUnwritten } from './unwritten.ts';
