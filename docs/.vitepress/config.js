import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath, URL } from 'node:url';
import { defineConfig } from 'vitepress';

// `npm run build --prefix docs` writes pages for the packages from their docstrings into api/, and builds the site. Pages
// have the paths of their files, so that links work there and on GitHub.
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY = 'OWNER/contract-first' } = env;
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#3451b2"/><path d="m4 8 3 3 5-6" fill="none" stroke="#fff" stroke-width="2"/></svg>';
const REPOSITORY = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;

export default defineConfig({
  title: 'contract-first',
  description: 'Contract-first HTTP services: engine, contract check, diff and mock',
  base: env.SITE_BASE ?? '/',
  srcDir: '..',
  srcExclude: ['packages/**', 'packed/**', 'site/**', '**/node_modules/**'],
  outDir: '../site',
  cacheDir: 'node_modules/.cache/vitepress',
  // Pages outside of docs/ import its Vue.
  vite: {
    esbuild: { tsconfigRaw: '{}' },
    resolve: { alias: [{ find: /^vue(?=\/|$)/, replacement: join(ROOT, 'docs/node_modules/vue') }] },
  },
  rewrites: { 'docs/index.md': 'index.md' },
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  markdown: { config: (md) => md.core.ruler.push('sources', linkSources) },
  themeConfig: {
    search: { provider: 'local', options: { detailedView: true } },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'Overview', link: '/' },
          { text: 'Plant store', link: '/README' },
        ],
      },
      group('Guide', 'docs/guide', [
        ...['tutorial', 'your-service', 'handlers', 'database', 'application', 'testing', 'deployment'],
      ]),
      group('Tools', 'docs/tools', ['check', 'diff', 'mock', 'commands']),
      group('Reference', 'docs/reference', ['documents', 'checking', 'behaviour', 'configuration']),
      group('Findings', 'docs', ['checks/index', 'rules/index']),
      group('Packages', 'api', [
        ...['@contract-first/engine', '@contract-first/engine/run', '@contract-first/database'],
        ...['contract-first', 'contract-first/testing', 'contract-first/mock'],
      ]),
      group('Maintain', '.', [
        ...['docs/maintain/architecture', 'docs/maintain/decisions', 'docs/maintain/performance'],
        ...['CONTRIBUTING', 'SECURITY', 'CHANGELOG'],
      ]),
    ],
  },
});

/** Returns a group of the sidebar. The text of a link is the title of its document. */
function group(text, folder, names) {
  const items = names.map((name) => {
    const path = join(folder, name);
    const [, title] = /^# (.+)$/m.exec(readFileSync(join(ROOT, `${path}.md`), 'utf8'));
    return { text: title, link: `/${path}` };
  });
  return { text, items };
}

/** Makes links to files that are not pages lead to the repository, and links of the landing page to their pages. */
function linkSources({ env: page, tokens }) {
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const href = token.attrGet('href');
    if (token.type !== 'link_open') continue;
    // Its file is in docs/, and its page at the root.
    if (page.relativePath === 'index.md' && /\.md(?:#|$)/.test(href)) token.attrSet('href', join('/docs', href));
    if (/^(?:[a-z]+:|#)|\.md(?:#|$)/.test(href)) continue;
    const path = join(dirname(page.relativePath), href);
    const kind = statSync(join(ROOT, path)).isDirectory() ? 'tree' : 'blob';
    token.attrSet('href', `${REPOSITORY}/${kind}/main/${path}`);
  }
}
