import { checkContract } from '../src/contract-run.ts';
import { CHECK_NAMES, isStateCheck } from '../src/judgement/checks.ts';
import { answerJson, startReferenceServer } from './support/reference-server.ts';

// Pages whose slug follows their title.

type Page = { slug: string; title: string };
type Sent = { readonly title: string };

const json = (schema: object) => ({ 'application/json': { schema } });
const taken = {
  type: 'object',
  required: ['title'],
  properties: { title: { type: 'string', pattern: '^[a-z]{3,9}$' } },
};
const page = { type: 'object', properties: { slug: { type: 'string' }, title: { type: 'string' } } };
const some = { description: 'Some', content: json(page) };
const none = { description: 'None' };
const requestBody = { required: true, content: json(taken) };
const document = {
  openapi: '3.1.0',
  info: { title: 'Pages', version: '1.0.0' },
  security: [],
  paths: {
    '/pages': {
      post: { operationId: 'createPage', requestBody, responses: { '201': some } },
      get: {
        operationId: 'listPages',
        responses: { '200': { description: 'All', content: json({ type: 'array', items: page }) } },
      },
    },
    '/pages/{slug}': {
      parameters: [{ name: 'slug', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'getPage', responses: { '200': some, '404': none } },
      put: { operationId: 'replacePage', requestBody, responses: { '200': some, '404': none } },
      delete: { operationId: 'deletePage', responses: { '204': none, '404': none } },
    },
  },
};

/** @param tell returns the slug in the response to an update */
async function check(seed: number, tell: (slug: string) => string): Promise<readonly string[]> {
  let pages: Page[] = [];
  let count = 0;
  const baseUrl = await startReferenceServer(({ method, url, body }) => {
    const slug = url.split('/')[2];
    const found = pages.find((one) => one.slug === slug);
    const nameOf = (title: string): string => `${title}-${String((count += 1))}`;
    if (method === 'POST') {
      const { title } = JSON.parse(body.toString()) as Sent;
      pages.push({ slug: nameOf(title), title });
      return answerJson(201, pages.at(-1));
    }
    if (slug === undefined) return answerJson(200, pages);
    if (found === undefined) return { status: 404, headers: {}, body: '' };
    if (method === 'GET') return answerJson(200, found);
    if (method === 'DELETE') {
      pages = pages.filter((one) => one !== found);
      return { status: 204, headers: {}, body: '' };
    }
    const { title } = JSON.parse(body.toString()) as Sent;
    if (title !== found.title) found.slug = nameOf(title);
    found.title = title;
    return answerJson(200, { ...found, slug: tell(found.slug) });
  });
  const checks = new Set(CHECK_NAMES.filter(isStateCheck));
  const { failures } = await checkContract({ document, baseUrl, checks, seed, runs: 0 });
  return failures.map(({ check, operationId }) => `${check} ${operationId}`);
}

test.each([1, 2, 3, 4, 5])(
  'with seed %i, a resource is followed to the id in the response to its update',
  async (seed) => {
    expect(await check(seed, (slug) => slug)).toEqual([]);
    expect(await check(seed, (slug) => `${slug}-other`)).toEqual(['ensure_resource_availability getPage']);
  },
);
