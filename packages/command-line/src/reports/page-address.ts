import { readFileSync } from 'node:fs';

type Manifest = { readonly version: string; readonly repository?: { readonly url: string } };

// The published manifest names the repository.
const { version, repository } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as Manifest;
const ROOT =
  repository === undefined ? '' : `${repository.url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/v${version}/`;

/** Returns the address of a page of the documents, such as `checks/ignored_auth`; relative without a repository. */
export function pageAddress(page: string): string {
  return `${ROOT}docs/${page}.md`;
}
