import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The folder of the guest book, the application that the tests of the packages serve. */
export const FIXTURE = fileURLToPath(new URL('../fixture', import.meta.url));

/** The folder of the other applications that only tests serve. */
export const APPLICATIONS = fileURLToPath(new URL('../applications', import.meta.url));

export const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url));
