import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '@contract-first/testing/service.ts';

// Templates become documents elsewhere.
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((name) => name !== '' && !name.includes('/templates/'));

/** Returns the text of a document without its code. */
const proseOf = (document: string): string =>
  readFileSync(join(ROOT, document), 'utf8')
    .replaceAll(/^ *```[^]*?^ *```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/** Returns the anchors that GitHub gives to the headings of a document. */
const anchorsOf = (document: string): string[] =>
  [...proseOf(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Returns the links of a document to files of the repository, as written and as paths with an anchor. */
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

test('every document is reached by links from the README', () => {
  const reached = new Set(['README.md']);
  for (const document of reached)
    for (const { target } of linksOf(document))
      for (const name of [target, join(target, 'README.md')]) if (documents.includes(name)) reached.add(name);
  // The README files of the packages are read on the registry.
  expect(documents.filter((name) => !name.startsWith('packages/') && !reached.has(name))).toEqual([]);
});
