import { readFileSync } from 'node:fs';

const MANIFEST = new URL('../../package.json', import.meta.url);

/** The version of this package and all related packages. */
export const VERSION = (JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string }).version;
