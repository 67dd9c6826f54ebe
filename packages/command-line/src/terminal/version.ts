import { readFileSync } from 'node:fs';

const MANIFEST = new URL('../../package.json', import.meta.url);

/** The version of this package, and of the others that belong to it. */
export const VERSION = (JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string }).version; // Its own.
