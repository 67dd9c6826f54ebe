import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '@contract-first/testing/service.ts';

// Excludes templates, which become documents of other projects.
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((name) => name !== '' && !name.includes('/templates/'));

/** Removes code from the text of a document. */
const proseOf = (document: string): string =>
  readFileSync(join(ROOT, document), 'utf8')
    .replaceAll(/^ *```[^]*?^ *```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/** Returns GitHub's anchors for the headings of a document. */
const anchorsOf = (document: string): string[] =>
  [...proseOf(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Returns the links to repository files in a document, as written and as paths with an anchor. */
const linksOf = (document: string) =>
  [...proseOf(document).matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)]
    .map(([, link, attribute]) => link ?? attribute ?? '')
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path = '', anchor] = link.split('#');
      return { link, target: path === '' ? document : join(dirname(document), path), anchor };
    });

test.each(documents)('%s: every link leads to a file of the repository and to one of its headings', (document) => {
  const broken = linksOf(document).filter(
    ({ target, anchor }) =>
      target.startsWith('..') ||
      !existsSync(join(ROOT, target)) ||
      (anchor !== undefined && !anchorsOf(target).includes(anchor)),
  );
  expect(broken.map(({ link }) => link)).toEqual([]);
});

test('every document is reachable by links from the README', () => {
  const reached = new Set(['README.md']);
  for (const document of reached)
    for (const { target } of linksOf(document))
      for (const name of [target, join(target, 'README.md')]) if (documents.includes(name)) reached.add(name);
  // Except the README files of the packages, which are shown on the registry, and the templates of the code host.
  expect(documents.filter((name) => !/^(?:packages|\.github)\//.test(name) && !reached.has(name))).toEqual([]);
});
