import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startMock, type Mock } from '../src/start-mock.ts';

const json = (schema: string): string => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string): string => `{ $ref: '#/components/schemas/${name}' }`;
const ID = '{ name: id, in: path, required: true, schema: { type: integer } }';
const USERNAME = '{ name: username, in: path, required: true, schema: { type: string } }';
const DOCUMENT = `
openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
security: []
paths:
  /people: { get: { operationId: listPeople, responses: { '200': { description: People., ${json(`{ type: array, minItems: 5, items: ${ref('Person')} }`)} } } } }
  /products: { get: { operationId: getProduct, responses: { '200': { description: A product., ${json(ref('Product'))} } } } }
  /users:
    post:
      operationId: register
      requestBody: { required: true, ${json(`{ type: object, required: [user], properties: { user: ${ref('NewUser')} } }`)} }
      responses: { '201': { description: Registered., ${json(`{ type: object, required: [user], properties: { user: ${ref('User')} } }`)} } }
  /users/login:
    post:
      operationId: login
      requestBody: { required: true, ${json(`{ type: object, required: [user], properties: { user: ${ref('NewUser')} } }`)} }
      responses: { '200': { description: Known., ${json(`{ type: object, required: [data], properties: { data: ${ref('User')} } }`)} } }
  /orders:
    post: { operationId: addOrder, requestBody: { required: true, ${json(ref('NewOrder'))} }, responses: { '201': { description: Added., ${json(ref('Order'))} } } }
    get: { operationId: listOrders, responses: { '200': { description: Orders., ${json(`{ type: array, items: ${ref('Order')} }`)} } } }
  /orders/{id}:
    parameters: [${ID}]
    get: { operationId: getOrder, responses: { '200': { description: An order., ${json(ref('Order'))} } } }
    patch: { operationId: changeOrder, requestBody: { required: true, ${json(ref('NewOrder'))} }, responses: { '200': { description: Changed., ${json(ref('Order'))} } } }
  /orders/{id}/cancel: { parameters: [${ID}], post: { operationId: cancelOrder, responses: { '200': { description: Cancelled., ${json(ref('Order'))} } } } }
  /orders/{id}/invoice: { parameters: [${ID}], post: { operationId: invoice, responses: { '201': { description: Made., ${json(ref('Invoice'))} } } } }
  /user:
    get: { operationId: getUser, responses: { '200': { description: The user., ${json(`{ type: object, properties: { user: ${ref('Account')} } }`)} } } }
    put: { operationId: changeUser, requestBody: { required: true, ${json(`{ type: object, properties: { user: ${ref('Account')} } }`)} }, responses: { '200': { description: The user., ${json(`{ type: object, properties: { user: ${ref('Account')} } }`)} } } }
  /session:
    post:
      operationId: signIn
      requestBody: { required: true, ${json(`{ type: object, required: [user], properties: { user: ${ref('NewUser')} } }`)} }
      responses: { '200': { description: The user., ${json(`{ type: object, properties: { user: ${ref('Account')} } }`)} } }
  /notes:
    get:
      operationId: listNotes
      parameters:
        - { name: author, in: query, schema: { type: string } }
        - { name: tag, in: query, schema: { type: string } }
        - { name: liked, in: query, schema: { type: string } }
        - { name: ids, in: query, explode: false, schema: { type: array, items: { type: string } } }
        - { name: q, in: query, schema: { type: string } }
      responses: { '200': { description: Notes., ${json(`{ type: object, required: [notes, notesCount], properties: { notes: { type: array, items: ${ref('Note')} }, notesCount: { type: integer } } }`)} } }
    post: { operationId: addNote, requestBody: { required: true, ${json('{ type: object, properties: { tagList: { type: array, items: { type: string } } } }')} }, responses: { '201': { description: Added., ${json(ref('Note'))} } } }
  /notes/{id}:
    parameters: [${ID}]
    get: { operationId: getNote, responses: { '200': { description: A note., ${json(ref('Note'))} }, '404': { description: None. } } }
  /notes/{id}/like:
    parameters: [${ID}]
    post: { operationId: like, responses: { '200': { description: Liked., ${json(ref('Note'))} } } }
    delete: { operationId: unlike, responses: { '204': { description: Not liked. } } }
  /notes/{id}/unlike: { parameters: [${ID}], post: { operationId: alsoUnlike, responses: { '204': { description: Not liked. } } } }
  /sign-in: { post: { operationId: signInByCookie, responses: { '204': { description: Known., headers: { Set-Cookie: { schema: { type: string } } } } } } }
  /mine: { get: { operationId: getMine, security: [{ session: [] }], responses: { '204': { description: Known. } } } }
  /articles:
    get: { operationId: listArticles, responses: { '200': { description: Articles., ${json(`{ type: array, items: ${ref('Article')} }`)} } } }
    post: { operationId: addArticle, requestBody: { required: true, ${json('{ type: object, required: [title], properties: { title: { type: string } } }')} }, responses: { '201': { description: Added., ${json(ref('Article'))} } } }
  /articles/{slug}: { parameters: [{ name: slug, in: path, required: true, schema: { type: string } }], get: { operationId: getArticle, responses: { '200': { description: An article., ${json(ref('Article'))} }, '404': { description: None. } } } }
  /articles/popular:
    get:
      operationId: listPopular
      parameters: [{ name: offset, in: query, schema: { type: integer } }, { name: limit, in: query, schema: { type: integer } }]
      responses: { '200': { description: Articles., headers: { Link: { schema: { type: string } }, X-Total-Count: { schema: { type: integer } } }, ${json(`{ type: object, required: [articles, articlesCount], properties: { articles: { type: array, minItems: 0, items: ${ref('Article')} }, articlesCount: { type: integer } } }`)} } }
  /labels:
    get:
      operationId: listLabels
      parameters: [{ name: next_token, in: query, schema: { type: string } }, { name: limit, in: query, schema: { type: integer } }]
      responses: { '200': { description: Labels., content: { application/json: { schema: { type: object, properties: { labels: { type: array, items: ${ref('Label')} }, next_token: { type: string } } }, example: { labels: [{ id: 7 }, { id: 8 }] } } } } }
    post: { operationId: addLabel, responses: { '201': { description: Added., ${json(ref('Label'))} } } }
  /labels/{id}: { parameters: [${ID}], get: { operationId: getLabel, responses: { '200': { description: A label., ${json(ref('Label'))} } } } }
  /members/{username}:
    parameters: [${USERNAME}]
    get: { operationId: getMember, responses: { '200': { description: A user., ${json(ref('Author'))} }, '404': { description: None. } } }
    patch: { operationId: changeMember, requestBody: { ${json('{ type: object, properties: { bio: { type: string } } }')} }, responses: { '200': { description: Changed., ${json(ref('Author'))} } } }
    delete: { operationId: removeMember, responses: { '204': { description: Removed. } } }
  /cards/{id}: { get: { operationId: getCard, parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { '200': { description: A card., ${json('{ type: object, required: [id, bio], properties: { id: { type: string }, bio: { type: string } } }')} } } } }
  /profiles/{username}: { parameters: [${USERNAME}], get: { operationId: getProfile, responses: { '200': { description: A user., ${json(ref('Author'))} } } } }
  /profiles/{username}/follow:
    parameters: [${USERNAME}]
    post: { operationId: follow, responses: { '200': { description: Followed., ${json(ref('Author'))} } } }
    delete: { operationId: unfollow, responses: { '200': { description: Not followed., ${json(ref('Author'))} } } }
  /reports/{id}: { parameters: [${ID}], get: { operationId: getReport, responses: { '200': { description: A report., ${json(ref('Invoice'))} } } } }
components:
  securitySchemes: { session: { type: apiKey, in: cookie, name: sid } }
  schemas:
    NewUser: { type: object, required: [email, password], properties: { email: { type: string, format: email }, password: { type: string, writeOnly: true } } }
    User: { type: object, required: [email, token], properties: { email: { type: string, format: email }, token: { type: string }, bio: { type: [string, 'null'] } } }
    Account: { type: object, required: [username, email], properties: { id: { type: string, format: uuid }, username: { type: string }, email: { type: string }, bio: { type: string } } }
    Note:
      type: object
      required: [id, liked, likesCount, author, tagList]
      properties: { id: { type: integer }, liked: { type: boolean }, likesCount: { type: integer, minimum: 0 }, author: ${ref('Author')}, tagList: { type: array, items: { type: string } } }
    Author: { type: object, required: [username, following], properties: { username: { type: string }, bio: { type: string }, following: { type: boolean } } }
    Article:
      type: object
      required: [slug, title, ownerId, commentsCount]
      properties: { slug: { type: string }, title: { type: string }, ownerId: { type: string, format: uuid }, commentsCount: { type: integer, minimum: 0 } }
    Label: { type: object, required: [id], properties: { id: { type: integer } } }
    NewOrder: { type: object, required: [item], properties: { item: { type: string } } }
    Order:
      type: object
      required: [id, item, createdAt, updatedAt]
      properties: { id: { type: integer }, item: { type: string }, createdAt: { type: string, format: date-time }, updatedAt: { type: string, format: date-time } }
    Invoice: { type: object, required: [id, amount], properties: { id: { type: integer }, amount: { type: number } } }
    Person:
      type: object
      required: [name, email, phone, city, country, birthDate, avatar, updatedAt, createdAt]
      properties:
        name: { type: string }
        email: { type: string, format: email }
        phone: { type: [string, 'null'] }
        city: { anyOf: [{ type: string, minLength: 4 }, { type: 'null' }] }
        country: { type: string, minLength: 2, maxLength: 2 }
        birthDate: { type: string, format: date }
        avatar: { type: string, format: uri }
        updatedAt: { type: string, format: date-time }
        createdAt: { type: string, format: date-time }
    Product:
      type: object
      required: [name, price, currency, quantity, color, size, sku, apiKey, created, words, data]
      properties:
        name: { type: string }
        price: { type: number, minimum: 10, maximum: 100, multipleOf: 0.01 }
        currency: { type: string, pattern: '^[a-z]{3}$' }
        quantity: { type: integer, maximum: 2 }
        color: { type: string, example: teal }
        size: { type: string, enum: [s, m] }
        sku: { type: string, pattern: '^[A-Z]{3}-\\d{4}$' }
        apiKey: { type: string, format: uuid }
        created: { type: integer }
        words: { type: array, items: { type: string } }
        data: { type: string, contentMediaType: application/json, contentSchema: { type: object, required: [n], properties: { n: { type: integer } } } }
`;

const path = join(temporaryFolder(), 'shop.yaml');
writeFileSync(path, DOCUMENT);

async function start(seed = 1): Promise<Mock> {
  const mock = await startMock(path, { seed });
  cleanUp(mock.close);
  return mock;
}

/** Sends a request. Returns the body of the response. */
async function send({ url }: Mock, method: string, target: string, body?: object): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url + target, { method, ...(body && { headers, body: JSON.stringify(body) }) });
  return response.json();
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const TIME = expect.stringMatching(/^2026-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as unknown;

test('generated values look real for their format or the name of their property, and are the same for a seed', async () => {
  const [mock, same, other] = [await start(), await start(), await start(2)];
  const people = (await send(mock, 'GET', '/people')) as readonly Readonly<Record<string, string>>[];
  expect(people).toHaveLength(5);
  for (const person of people) {
    expect(person).toEqual({
      name: expect.stringMatching(/^[A-Z][a-z]+ [A-Z][a-z]+$/) as unknown,
      email: expect.stringMatching(/^[a-z]+\.[a-z]+@example\.com$/) as unknown,
      phone: expect.stringMatching(/^\+\d{11}$/) as unknown,
      city: expect.stringMatching(/^[A-Z][a-z]+$/) as unknown,
      country: expect.stringMatching(/^[A-Z]{2}$/) as unknown,
      birthDate: expect.stringMatching(/^(?:19|20)\d\d-\d\d-\d\d$/) as unknown,
      avatar: expect.stringMatching(/^https:\/\/example\.com\/images\/[a-z]+\.jpg$/) as unknown,
      createdAt: TIME,
      updatedAt: TIME,
    });
    expect(String(person['createdAt']) <= String(person['updatedAt'])).toBe(true);
  }
  const created = people.map(({ createdAt }) => createdAt);
  expect(created).toEqual(created.toSorted());
  expect(await send(same, 'GET', '/people')).toEqual(people);
  expect(await send(other, 'GET', '/people')).not.toEqual(people);
});

test('values that look real are valid, and examples and enums of the document come first', async () => {
  expect(await send(await start(), 'GET', '/products')).toEqual({
    name: expect.stringMatching(/^[A-Z][a-z]+ [a-z]+$/) as unknown,
    price: expect.closeTo(60, -2) as unknown,
    currency: expect.stringMatching(/^(?:eur|usd|gbp|jpy)$/) as unknown,
    quantity: expect.closeTo(1.5, -1) as unknown,
    color: 'teal',
    size: expect.stringMatching(/^[sm]$/) as unknown,
    sku: expect.stringMatching(/^[A-Z]{3}-\d{4}$/) as unknown,
    apiKey: expect.stringMatching(UUID) as unknown,
    created: expect.closeTo(1_770_000_000, -8) as unknown, // Seconds.
    words: [expect.stringMatching(/^[A-Za-z ]+$/) as unknown],
    data: expect.stringMatching(/^\{"n":-?\d+\}$/) as unknown,
  });
});

test('the times in resources follow the order of the changes', async () => {
  const mock = await start();
  const first = await send(mock, 'POST', '/orders', { item: 'tea' });
  await send(mock, 'POST', '/orders', { item: 'milk' });
  expect(first).toEqual({ id: 1, item: 'tea', createdAt: '2026-03-01T09:00:00Z', updatedAt: '2026-03-01T09:00:00Z' });
  expect(await send(mock, 'PATCH', '/orders/1', { item: 'oat milk' })).toEqual({
    id: 1,
    item: 'oat milk',
    createdAt: '2026-03-01T09:00:00Z',
    updatedAt: '2026-03-01T09:02:00Z',
  });
});

test('operations without stored resources return the sent values where their schema allows it', async () => {
  const mock = await start();
  const user = { email: 'kim@example.org', password: 'secret' };
  expect(await send(mock, 'POST', '/users', { user })).toEqual({
    user: {
      email: 'kim@example.org',
      token: expect.stringMatching(/^[\da-f]{40}$/) as unknown,
      bio: expect.any(String) as unknown,
    },
  });
  expect(await send(mock, 'POST', '/users/login', { user })).toMatchObject({ data: { email: 'kim@example.org' } });
});

test('an unknown id without a documented 404 is in the response', async () => {
  const mock = await start();
  expect(await send(mock, 'GET', '/orders/77')).toMatchObject({ id: 77 });
  expect(await send(mock, 'PATCH', '/orders/77', { item: 'tea' })).toMatchObject({ id: 77, item: 'tea' });
  expect(await send(mock, 'GET', '/reports/8')).toMatchObject({ id: 8 });
});

test('an action on a resource returns the resource, and other operations below it do not', async () => {
  const mock = await start();
  await send(mock, 'POST', '/orders', { item: 'tea' });
  const order = await send(mock, 'POST', '/orders', { item: 'milk' });
  expect(await send(mock, 'POST', '/orders/2/cancel')).toEqual(order);
  expect(await send(mock, 'POST', '/orders/2/invoice')).toMatchObject({ amount: expect.any(Number) });
});

test('an action changes the members that it names, and its DELETE restores them', async () => {
  const mock = await start();
  const { liked: isLiked, likesCount: before } = (await send(mock, 'POST', '/notes', {})) as Readonly<
    Record<string, unknown>
  >;
  expect(isLiked).toBe(false);
  const count = Number(before);
  const noted = (liked: boolean) => ({ id: 1, liked, likesCount: liked ? count + 1 : count });
  expect(await send(mock, 'POST', '/notes/1/like')).toMatchObject(noted(true));
  expect(await send(mock, 'POST', '/notes/1/like')).toMatchObject(noted(true));
  for (const [method, path] of [
    ['DELETE', '/notes/1/like'],
    ['POST', '/notes/1/unlike'],
  ] as const) {
    await fetch(mock.url + path, { method });
    expect(await send(mock, 'GET', '/notes/1')).toMatchObject(noted(false));
    await send(mock, 'POST', '/notes/1/like');
    expect(await send(mock, 'GET', '/notes/1')).toMatchObject(noted(true));
  }
});

test('a sign-in changes the user, to whom new resources belong', async () => {
  const mock = await start();
  const user = { email: 'kim@example.org', password: 'secret' };
  const signedIn = await send(mock, 'POST', '/session', { user });
  expect(signedIn).toMatchObject({ user: { email: 'kim@example.org' } });
  expect(await send(mock, 'GET', '/user')).toEqual(signedIn);
  const account = { username: 'kim', email: 'kim@example.org', bio: 'Gardener' };
  await send(mock, 'PUT', '/user', { user: account });
  const { username, bio } = account;
  expect(await send(mock, 'POST', '/notes', {})).toMatchObject({ author: { username, bio } });
});

test('a new resource has a slug of its title, the id of the user, and no comments', async () => {
  const mock = await start();
  const { user } = (await send(mock, 'GET', '/user')) as { readonly user: { readonly id: string } };
  const article = { slug: 'new-gardens-1', title: 'New Gardens, 1', ownerId: user.id, commentsCount: 0 };
  expect(user.id).toMatch(UUID);
  expect(await send(mock, 'POST', '/articles', { title: 'New Gardens, 1' })).toEqual(article);
  expect(await send(mock, 'GET', '/articles/new-gardens-1')).toEqual(article);
  const { slug } = (await send(mock, 'POST', '/articles', { title: 'New gardens 1' })) as { readonly slug: string };
  expect(slug).toMatch(/^new-gardens-1-\d$/);
});

test.each([
  ['without accents and apostrophes', "Ibn Sīnā's Café", 'ibn-sinas-cafe'],
  ['with the marks of other scripts', 'हिन्दी में', 'हिन्दी-में'],
  ['of 80 characters', `${'a'.repeat(79)} b`, 'a'.repeat(79)],
])('a slug is the title %s', async (_name, title, slug) => {
  expect(await send(await start(), 'POST', '/articles', { title })).toMatchObject({ slug });
});

test('the profile of the user has the members of the user, and actions change generated profiles', async () => {
  const mock = await start();
  await send(mock, 'PUT', '/user', { user: { username: 'kim', email: 'kim@example.org', bio: 'Gardener' } });
  expect(await send(mock, 'GET', '/profiles/kim')).toMatchObject({ username: 'kim', bio: 'Gardener' });
  const lee = { username: 'lee', following: true };
  expect(await send(mock, 'POST', '/profiles/lee/follow')).toMatchObject(lee);
  expect(await send(mock, 'GET', '/profiles/lee')).toMatchObject(lee);
  expect(await send(mock, 'DELETE', '/profiles/lee/follow')).toMatchObject({ ...lee, following: false });
  expect(await send(mock, 'GET', '/profiles/lee')).toMatchObject({ ...lee, following: false });
});

test('a resource that nothing creates keeps its changes: 200, 204, 404', async () => {
  const mock = await start();
  expect(await send(mock, 'PATCH', '/members/lee', { bio: 'Cook' })).toMatchObject({ username: 'lee', bio: 'Cook' });
  expect(await send(mock, 'GET', '/members/lee')).toMatchObject({ username: 'lee', bio: 'Cook' });
  expect((await fetch(`${mock.url}/members/kim`, { method: 'DELETE' })).status).toBe(204);
  expect((await fetch(`${mock.url}/members/kim`)).status).toBe(404);
  const state = mock.state();
  mock.replaceState(state);
  expect(mock.state()).toEqual(state);
});

test('a resource that has the id of the user, but is not a user, keeps its members', async () => {
  const mock = await start();
  const { user } = (await send(mock, 'GET', '/user')) as {
    readonly user: { readonly id: string; readonly bio: string };
  };
  const { id, bio } = user;
  const card = await send(mock, 'GET', `/cards/${id}`);
  expect(card).toMatchObject({ id });
  expect(card).not.toMatchObject({ bio });
});

test('a generated list has the requested page, and the total of its items', async () => {
  const mock = await startMock(path, { listSize: 5 });
  cleanUp(mock.close);
  const find = async (query: string) => {
    const { articles, articlesCount } = (await send(mock, 'GET', `/articles/popular${query}`)) as {
      readonly articles: readonly object[];
      readonly articlesCount: number;
    };
    expect(articlesCount).toBe(5);
    return articles;
  };
  const all = await find('');
  expect(all).toHaveLength(5);
  expect(await find('?limit=2&offset=3')).toEqual(all.slice(3));
  expect(await find('?offset=5')).toEqual([]);
  expect(await find('?limit=0')).toEqual([]);
  const { headers } = await fetch(`${mock.url}/articles/popular?limit=2`);
  expect(headers.get('link')).toBe(`<${mock.url}/articles/popular?limit=2&offset=2>; rel="next"`);
  expect(headers.get('x-total-count')).toBe('5');
});

test('a page has the declared cursor of the next page that the example of the list lacks', async () => {
  const mock = await start();
  const first = await send(mock, 'GET', '/labels?limit=1');
  expect(first).toEqual({ labels: [{ id: 7 }], next_token: '1' });
  expect(await send(mock, 'GET', '/labels?limit=1&next_token=1')).toEqual({ labels: [{ id: 8 }] });
});

test('a sign-in sets the cookie that other operations need: 401, 204', async () => {
  const { url } = await start();
  const cookie = (await fetch(`${url}/sign-in`, { method: 'POST' })).headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^sid=[^;\s]+; Path=\/$/);
  const [pair = ''] = cookie.split(';');
  const statuses = [{}, { Cookie: pair }].map(async (headers) => (await fetch(`${url}/mine`, { headers })).status);
  expect(await Promise.all(statuses)).toEqual([401, 204]);
});

test('lists are counted, searched, and filtered by members of objects, items of lists, ids and booleans', async () => {
  const mock = await start();
  const { author } = (await send(mock, 'POST', '/notes', { tagList: ['fern', 'moss'] })) as {
    readonly author: { readonly username: string };
  };
  await send(mock, 'POST', '/notes', { tagList: [] });
  await send(mock, 'POST', '/notes/2/like');
  const find = async (query: string) => {
    const { notes, notesCount } = (await send(mock, 'GET', `/notes${query}`)) as {
      readonly notes: readonly { readonly id: number }[];
      readonly notesCount: number;
    };
    expect(notesCount).toBe(notes.length);
    return notes.map(({ id }) => id);
  };
  expect(await find('')).toEqual([1, 2]);
  expect(await find(`?author=${author.username}`)).toEqual([1, 2]);
  expect(await find('?author=other')).toEqual([]);
  expect(await find('?tag=moss')).toEqual([1]);
  expect(await find('?liked=kim')).toEqual([2]);
  expect(await find('?ids=2,7')).toEqual([2]);
  expect(await find('?q=MOS')).toEqual([1]);
});
