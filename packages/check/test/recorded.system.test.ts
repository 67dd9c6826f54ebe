import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCommand } from '../src/command.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { petsDocument } from './support/pets-document.ts';
import { shallowDocument } from './support/reference-document.ts';
import { startReferenceServer, TOKEN } from './support/reference-server.ts';

type Headers = Readonly<Record<string, string>>;
type Entry = {
  readonly request: string;
  readonly headers?: Headers;
  readonly body?: string;
  readonly status?: number;
  readonly responseHeaders?: Headers;
  readonly content?: object;
  /** Members that replace the members of the request. */
  readonly more?: object;
};

const ORIGIN = 'http://pets.example';
const STARTED = '2026-11-12T10:00:00.000Z';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const TENANT = { 'X-Tenant': 'a', ...JSON_TYPE };

const pairs = (headers: Headers) => Object.entries(headers).map(([name, value]) => ({ name, value }));
const jsonOf = (value: unknown): object => ({ size: 1, mimeType: 'application/json', text: JSON.stringify(value) });

/** Creates an archive entry. The response defaults to a valid response to `GET /v1/pets`. */
function entryOf({ request, headers = {}, body, status = 200, responseHeaders, content, more }: Entry) {
  const [method = '', path = ''] = request.split(' ');
  return {
    startedDateTime: STARTED,
    time: 5,
    request: {
      method,
      url: path.startsWith('/') ? ORIGIN + path : path,
      headers: pairs(headers),
      ...(body !== undefined && { postData: { mimeType: headers['Content-Type'] ?? '', text: body } }),
      ...more,
    },
    response: {
      status,
      headers: pairs(responseHeaders ?? { 'x-total': '1', ...JSON_TYPE }),
      content: content ?? jsonOf([{ name: 'Rex' }]),
    },
  };
}

const archiveOf = (entries: readonly Entry[]): string => JSON.stringify({ log: { entries: entries.map(entryOf) } });

/** Runs the command on archives in a temporary folder, without --url. */
async function check(
  archives: readonly (string | readonly Entry[])[],
  args: readonly string[] = [],
  document: object = petsDocument,
) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'pets.json'), JSON.stringify(document));
  const files = archives.flatMap((archive, index) => {
    const name = `${String(index)}.har`;
    writeFileSync(join(folder, name), typeof archive === 'string' ? archive : archiveOf(archive));
    return ['--har', name];
  });
  const outcome = await runHere(checkCommand, ['pets.json', ...files, ...args], folder);
  return { ...outcome, read: (name: string) => readFileSync(join(folder, name), 'utf8') };
}

const created: Pick<Entry, 'status' | 'content'> = { status: 201, content: jsonOf({ id: 1, name: 'Rex' }) };
const read: Pick<Entry, 'content'> = { content: jsonOf({ id: 1, name: 'Rex' }) };

test('--har reports a recorded response that violates the document, and names the entry', async () => {
  const { code, stdout } = await check([
    [
      { request: 'GET /v1/pets' },
      { request: 'GET /v1/pets', content: jsonOf([{ name: 5 }]) },
      { request: 'GET /v1/pets/1', status: 500 },
      { request: 'GET /v1/pets/2', status: 404 },
      { request: 'GET /v1/pets/mine', content: jsonOf('x') },
      { request: 'GET /v1/pets?limit=1', responseHeaders: JSON_TYPE },
    ],
  ]);
  expect(code).toBe(1);
  const failed = stdout.split('\n').filter((line) => line.startsWith('FAILED'));
  expect(failed.sort()).toEqual([
    'FAILED content_type_conformance  readMine',
    'FAILED not_a_server_error  readPet',
    'FAILED response_headers_conformance  listPets',
    'FAILED response_schema_conformance  listPets',
    'FAILED status_code_conformance  readPet',
  ]);
  expect(stdout).toContain(
    `recorded: entry 2 of 0.har, ${STARTED}\n  curl -sSi --path-as-is -g -X GET '${ORIGIN}/v1/pets/1'`,
  );
  expect(stdout).toContain("repeat: npx contract-first check --har '0.har' 'pets.json' --operation 'readPet'");
  expect(stdout).toContain('checked: 3 operations, 6 requests, 5 failures\n');
});

test.each([
  ['a parameter', { request: 'GET /v1/pets?limit=11' }, 'query limit does not match its schema'],
  ['a list', { request: 'GET /v1/pets?ids=1&ids=x' }, 'query ids does not match its schema'],
  ['a path', { request: 'GET /v1/pets/rex', ...read }, 'path id does not match its schema'],
  ['a body', { request: 'POST /v1/pets', headers: TENANT, body: '{"name":5}', ...created }, 'body/name must be string'],
  ['a body that is cut', { request: 'POST /v1/pets', headers: TENANT, body: '{"name":', ...created }, 'not JSON'],
  ['no body', { request: 'POST /v1/pets', headers: { 'X-Tenant': 'a' }, ...created }, 'no body'],
  [
    'another media type',
    { request: 'POST /v1/pets', headers: { ...TENANT, 'Content-Type': 'text/csv' }, body: 'name', ...created },
    'a body of text/csv',
  ],
  [
    'a missing header',
    { request: 'POST /v1/pets', headers: JSON_TYPE, body: '{"name":"a"}', ...created },
    'no header X-Tenant',
  ],
  [
    'a form',
    {
      request: 'POST /v1/login',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'name=a',
      content: jsonOf({ access_token: 'a' }),
    },
    'a form without user',
  ],
] as const)('--har fails where invalid data was accepted: %s', async (_name, entry: Entry, fault) => {
  const { code, stdout } = await check([[entry]]);
  expect(stdout).toMatch(/FAILED (?:negative_data_rejection|missing_required_header) /);
  expect(stdout).toContain(fault);
  expect([code, stdout]).toEqual([1, expect.stringContaining('1 request, 1 failure\n')]);
  const { code: ofRejection, stdout: rejected } = await check([[{ ...entry, status: 400, content: {} }]]);
  expect([ofRejection, rejected]).toEqual([0, expect.stringContaining('1 request, 0 failures\n')]);
});

const login = { 'Content-Type': 'application/x-www-form-urlencoded' };

test.each([
  ['an empty value', { request: 'GET /v1/pets?limit=' }],
  ['another spelling of a number', { request: 'GET /v1/pets?limit=1e0' }],
  ['another spelling of a boolean', { request: 'GET /v1/pets?tame=1' }],
  ['a parameter twice', { request: 'GET /v1/pets?limit=1&limit=2' }],
  ['a list in another style', { request: 'GET /v1/pets?ids=1,2' }],
  ['a list with brackets', { request: 'GET /v1/pets?ids[]=1' }],
  ['an unencoded plus sign', { request: 'GET /v1/pets?since=2026-11-12T10:00:00+01:00' }],
  ['a parameter that the document does not have', { request: 'GET /v1/pets?_=17' }],
  ['a read-only member', { request: 'POST /v1/pets', headers: TENANT, body: '{"id":1,"name":"a"}', ...created }],
  [
    'a body with a byte order mark',
    { request: 'POST /v1/pets', headers: TENANT, body: '\uFEFF{"name":"a"}', ...created },
  ],
  [
    'a body that the archive lacks',
    { request: 'POST /v1/pets', headers: { ...TENANT, 'Content-Length': '9' }, ...created },
  ],
  [
    'a body that the archive cuts',
    { request: 'POST /v1/pets', headers: { ...TENANT, 'Content-Length': '20' }, body: '{"name"', ...created },
  ],
  [
    'a field of a form',
    { request: 'POST /v1/login', headers: login, body: 'user=', content: jsonOf({ access_token: '' }) },
  ],
  [
    'a valid request that was refused',
    { request: 'GET /v1/pets', status: 401, responseHeaders: { 'WWW-Authenticate': 'Bearer' } },
  ],
  [
    'valid data that was refused',
    { request: 'POST /v1/pets', headers: TENANT, body: '{"name":"a"}', status: 422, content: {} },
  ],
] as const)('--har does not fail for %s', async (_name, entry: Entry) => {
  const { code, stdout } = await check([[entry]]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 request, 0 failures\n')]);
});

test('--har reads base64 bodies, headers in any case, pseudo-headers, and archives that the check wrote', async () => {
  const content = {
    size: 15,
    mimeType: 'application/json',
    encoding: 'base64',
    text: Buffer.from('[{"name":5}]').toString('base64'),
  };
  const headers = { ':authority': 'pets.example', 'content-type': 'application/json', 'x-tenant': 'a' };
  const postData = {
    mimeType: 'application/json',
    _encoding: 'base64',
    text: Buffer.from('{"name":5}').toString('base64'),
  };
  const { stdout } = await check([
    [
      {
        request: 'GET /v1/pets',
        content: { ...content, size: 12 },
        responseHeaders: { 'X-TOTAL': '1', 'CONTENT-TYPE': 'application/json' },
      },
      { request: 'POST /v1/pets', headers, more: { postData }, ...created },
    ],
  ]);
  expect(stdout).toContain('body/0/name must be string');
  expect(stdout).toContain('invalid data (body/name must be string) got status 201');
  expect(stdout).toContain('2 requests, 2 failures');
});

test('--har notes exchanges that cannot be judged', async () => {
  const { code, stdout } = await check(
    [
      [
        { request: 'GET /v1/pets' },
        { request: 'HEAD /v1/pets', content: { size: 0 } },
        {
          request: 'OPTIONS /v1/pets',
          status: 204,
          headers: { 'Access-Control-Request-Method': 'POST' },
          content: { size: 0 },
        },
        { request: 'GET /v1/pets', status: 304, content: { size: 0 } },
        { request: 'GET /v1/pets', status: 206, headers: { Range: 'bytes=0-1' } },
        { request: 'GET /v1/pets', status: 307, responseHeaders: { 'Non-Authoritative-Reason': 'HSTS' } },
        { request: 'GET /v1/pets', status: 0, responseHeaders: {}, content: {} },
        { request: 'GET /v1/pets', content: { size: 20, mimeType: 'application/json' } },
        { request: 'GET https://cdn.example/v1/pets', status: 500 },
        { request: 'GET ws://pets.example/v1/pets', status: 101 },
        { request: 'GET /v1/toys', content: jsonOf(5) },
        { request: 'DELETE /v1/pets', status: 405 },
      ],
    ],
    ['--url', ORIGIN],
  );
  expect(stdout).toBe(
    [
      'not in the document: GET /v1/toys got 200 (1)',
      'not in the document: DELETE /v1/pets got 405 (1)',
      'not judged: OPTIONS requests, such as CORS preflights (1)',
      'not judged: responses with status 304: the client has the body (1)',
      'not judged: ranges of a body (1)',
      'not judged: redirects of the browser itself (1)',
      'not judged: requests without a response (1)',
      'not judged: bodies of responses that the recording lacks, cuts or hides (1)',
      'not judged: requests to https://cdn.example (1)',
      'not judged: requests to URLs that are not of HTTP (1)',
      'operations without a recorded request: createPet, readPet, readMine, login',
      'checked: 1 operation, 3 requests, 0 failures\n',
    ].join('\n'),
  );
  expect(code).toBe(0);
});

test('--har reports a successful request with an undocumented method', async () => {
  const { code, stdout } = await check([[{ request: 'PATCH /v1/pets/1', ...read }]]);
  expect(code).toBe(1);
  expect(stdout).toContain('the undocumented method PATCH got status 200 instead of 405');
});

test('--url selects a server, and its path replaces the base path of the document', async () => {
  const entries: readonly Entry[] = [
    { request: 'GET http://a.example/api/pets' },
    { request: 'GET http://b.example/v1/pets', status: 500 },
  ];
  const ambiguous = await check([entries]);
  expect([ambiguous.code, ambiguous.stderr]).toEqual([
    2,
    'the archive has requests to several servers; name one: --url http://a.example or http://b.example\n',
  ]);
  const { code, stdout } = await check([entries], ['--url', 'http://a.example/api']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 request, 0 failures')]);
  const ofServer = await check([entries], [], { ...petsDocument, servers: [{ url: 'http://b.example/v1' }] });
  expect([ofServer.code, ofServer.stdout]).toEqual([1, expect.stringContaining('FAILED not_a_server_error  listPets')]);
});

test('exit 2: an archive without a request to a documented path', async () => {
  const { code, stdout } = await check([[{ request: 'GET /api/pets' }]]);
  expect(code).toBe(2);
  expect(stdout).toContain('none fits a path of the document, such as /v1/pets: is the base path right?');
});

test('several archives, --operation, --checks and --report apply as in a live check', async () => {
  const archives: readonly (readonly Entry[])[] = [
    [{ request: 'GET /v1/pets', status: 500 }],
    [
      { request: 'GET /v1/pets/1', status: 500 },
      { request: 'GET /v1/pets/mine', status: 500 },
    ],
  ];
  const args = ['--operation', 'listPets', '--operation', 'readPet', '--checks', 'not_a_server_error'];
  const { code, stdout, read } = await check(archives, [
    ...args,
    '--report',
    'junit:a.xml',
    '--report',
    'ndjson:a.ndjson',
  ]);
  expect(code).toBe(1);
  expect(stdout.match(/^(?:FAILED| {2}also:) .*$/gm)).toEqual([
    'FAILED not_a_server_error  listPets',
    '  also: readPet',
  ]);
  expect(stdout).toContain('checked: 2 operations, 2 requests, 1 failure\n');
  expect(read('a.xml')).toContain('entry 0 of 1.har');
  expect(read('a.ndjson').trimEnd().split('\n')).toHaveLength(2);
});

test('--har lists one failure per cause, worst first, and unusual data only if plain data does not fail', async () => {
  const failing = { status: 500, content: {} };
  const post = { request: 'POST /v1/pets', headers: TENANT };
  const { stdout } = await check([
    [
      { request: 'PATCH /v1/pets/1', ...read },
      { request: 'GET /v1/pets', content: jsonOf([{ name: 5 }, { name: 6 }]) },
      { request: 'GET /v1/pets', content: jsonOf([{ name: 'Rex' }, { name: 7 }]) },
      { ...post, body: '{"name":"😀"}', ...failing },
      { ...post, body: '{"name":"a"}', ...failing },
      { ...post, body: '{"name":5}', ...failing },
      { ...post, body: '{"name":', ...failing, status: 502 },
      { ...post, body: '[', ...failing, status: 502 },
    ],
  ]);
  const [, summary = ''] = stdout.split('\nworst first:\n');
  expect(summary.split('\n').map((line) => line.trim())).toEqual([
    'not_a_server_error  createPet: the status is 500 for valid data',
    'not_a_server_error  createPet: the status is 502 for invalid data (malformed JSON)',
    'response_schema_conformance  listPets: name must be string',
    'unsupported_method  readPet: an undocumented method is accepted',
    'checked: 3 operations, 8 requests, 4 failures',
    '',
  ]);
  expect(stdout).toContain('  the status is 500 for valid data\n  recorded: entry 4 of 0.har, ');
});

test('--checks strict requires documented rejections of recorded requests; protocol checks only methods', async () => {
  const entries: readonly Entry[] = [
    { request: 'GET /v1/pets?limit=11', status: 400 },
    { request: 'PATCH /v1/pets/1', ...read },
  ];
  const failed = async (...args: readonly string[]) => (await check([entries], args)).stdout.match(/^FAILED \w+/gm);
  expect(await failed('--checks', 'default')).toEqual(['FAILED unsupported_method']);
  expect(await failed('--checks', 'strict')).toEqual(['FAILED documented_rejection', 'FAILED unsupported_method']);
  expect(await failed('--checks', 'protocol')).toEqual(['FAILED unsupported_method']);
});

test('--baseline accepts recorded failures; without a request, a failure is not called fixed', async () => {
  const failing: Entry = { request: 'GET /v1/pets/1', status: 500 };
  const list: Entry = { request: 'GET /v1/pets', status: 500 };
  const update = await check([[failing, list]], ['--baseline', 'known.yaml', '--update-baseline']);
  expect([update.code, update.stdout]).toEqual([0, 'known.yaml accepts the failures of this run\n']);
  const known = update.read('known.yaml');
  const rerun = async (entries: readonly Entry[]) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'pets.json'), JSON.stringify(petsDocument));
    writeFileSync(join(folder, 'known.yaml'), known);
    writeFileSync(join(folder, 'a.har'), archiveOf(entries));
    return runHere(checkCommand, ['pets.json', '--har', 'a.har', '--baseline', 'known.yaml'], folder);
  };
  const same = await rerun([failing]);
  expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('\nknown.yaml accepts 1 failures\n')]);
  expect(same.stdout).not.toContain('fixed?');
  const fixed = await rerun([{ request: 'GET /v1/pets' }]);
  expect([fixed.code, fixed.stdout]).toEqual([
    0,
    expect.stringContaining('\nknown.yaml: fixed? not_a_server_error  listPets: the status is 500 for valid data\n'),
  ]);
  const worse = await rerun([failing, { request: 'GET /v1/pets/mine', status: 500 }]);
  expect([worse.code, worse.stdout.match(/^FAILED .*$/gm)]).toEqual([1, ['FAILED not_a_server_error  readMine']]);
});

test('--har skips an invalid operation: exit 2', async () => {
  const broken = { 'application/json': { schema: { properties: 1 } } };
  const listToys = { operationId: 'listToys', responses: { 200: { description: 'All', content: broken } } };
  const document = { ...petsDocument, paths: { ...petsDocument.paths, '/toys': { get: listToys } } };
  const { code, stdout } = await check([[{ request: 'GET /v1/pets' }]], [], document);
  expect(stdout).toMatch(/^listToys: not checked, as the document is not valid: /m);
  expect([code, stdout]).toEqual([2, expect.stringContaining('1 request, 0 failures, 1 incomplete\n')]);
});

test('an unreadable archive is an error in the reports', async () => {
  const { code, read } = await check(['{'], ['--report', 'junit:a.xml', '--report', 'har:b.har']);
  expect(code).toBe(2);
  expect(read('a.xml')).toMatch(/<testcase classname="contract" name="run"[^]*0\.har is not an HTTP archive/);
  expect(JSON.parse(read('b.har'))).toMatchObject({ log: { entries: [] } });
});

test.each([
  ['text that is not JSON', '{"log":{"entries":[', /^0\.har is not an HTTP archive, or is not complete: /],
  ['JSON without entries', '{"log":{}}', /^0\.har is not an HTTP archive: it has no list log\.entries$/],
  [
    'an entry without a URL',
    '{"log":{"entries":[{"request":{"method":"GET"}}]}}',
    /^entry 0 of 0\.har has no valid request\.url$/,
  ],
  ['no entry', '{"log":{"entries":[]}}', /^the archive has no request over HTTP$/],
] as const)('exit 2: a corrupt archive: %s', async (_name, archive, message) => {
  const { code, stderr } = await check([archive]);
  expect(stderr.trimEnd()).toMatch(message);
  expect(code).toBe(2);
});

test('a line feed in an archive or its name cannot inject a workflow command into the output', async () => {
  const feed = '\n::error::owned';
  const folder = temporaryFolder();
  const name = `a${feed}.har`;
  writeFileSync(join(folder, 'pets.json'), JSON.stringify(petsDocument));
  const entries = [
    { ...entryOf({ request: 'GET /v1/pets', status: 500 }), startedDateTime: `1 Jan 2026 (${feed})` },
    entryOf({ request: `GET /v1/none${feed}` }),
    entryOf({ request: `GET /v1/pets?limit=1${feed}`, status: 500, responseHeaders: { [`a${feed}`]: feed } }),
    entryOf({ request: 'GET /v1/pets', content: { size: 1, mimeType: 'application/json', text: feed } }),
  ];
  const runOn = (archive: object) => {
    writeFileSync(join(folder, name), JSON.stringify({ log: { entries: archive } }));
    return runHere(checkCommand, ['pets.json', '--har', name, '--report', 'coverage'], folder);
  };
  const judged = await runOn(entries);
  const [first] = entries;
  const refused = await runOn([{ ...first, request: { ...first?.request, method: `GET${feed}` } }]);
  expect(judged.stdout).toContain('not in the document: GET /v1/none%0A::error::owned got 200 (1)');
  expect(refused.stderr).toBe('entry 0 of a\\u000a::error::owned.har has no valid request.method\n');
  for (const text of [judged.stdout, judged.stderr, refused.stdout, refused.stderr])
    expect(text).not.toMatch(/^\s*::error/m);
});

test('no output contains recorded credentials', async () => {
  const secrets = ['bearer-0123456789', 'key/0123456789', 'cookie-0123456789', 'issued-0123456789', 'word-0123456789'];
  const [bearer = '', key = '', cookie = '', issued = '', password = ''] = secrets;
  const basic = Buffer.from(`me:${password}`).toString('base64');
  const echo = { size: 1, mimeType: 'text/plain', text: secrets.join(' ') };
  const { code, stdout, read } = await check(
    [
      [
        {
          request: `GET /v1/pets?key=${encodeURIComponent(key)}`,
          headers: { Authorization: `Bearer ${bearer}`, Cookie: `session=${cookie}` },
        },
        { request: 'POST /v1/login', headers: login, body: 'user=me', content: jsonOf({ access_token: issued }) },
        { request: 'GET /v1/pets/1', headers: { Authorization: `Basic ${basic}` }, status: 500, content: echo },
        {
          request: `GET /v1/pets/2?key=${encodeURIComponent(key)}`,
          status: 503,
          content: echo,
          headers: { Authorization: `Bearer ${bearer}`, Cookie: `session=${cookie}` },
        },
      ],
    ],
    ['--report', 'har:a.har', '--report', 'junit:a.xml', '--report', 'ndjson:a.ndjson', '--report', 'markdown:a.md'],
  );
  expect(code).toBe(1);
  const all = [stdout, ...['a.har', 'a.xml', 'a.ndjson', 'a.md'].map(read)].join('\n');
  for (const secret of [...secrets, encodeURIComponent(key), basic, '0123456789']) expect(all).not.toContain(secret);
  expect(stdout).toContain(`-H 'Authorization: Bearer '"$TOKEN"`);
  expect(stdout).toContain(`-H 'Cookie: session='"$SESSION"`);
  expect(stdout).toContain(`/v1/pets/2?key='"$KEY"`);
});

test('no output contains a value that is secret by its name, schema or form, anywhere in an exchange', async () => {
  const secrets: string[] = [];
  const secret = (beginning = 'Zq7Rk2'): string => {
    const text = `${beginning}mWx${String(secrets.length)}L`;
    secrets.push(text);
    return text;
  };
  const secretNumber = (): number => {
    const number = 48_210_000 + 137 * secrets.length;
    secrets.push(String(number));
    return number;
  };
  const prefix = secret();
  const headers: Headers = {
    Authorization: `Bearer ${secret(prefix)}`,
    Cookie: `a=${secret('z')}; b=${prefix}`,
    'X-Vault-Token': secret(),
    'Private-Token': secret(),
    'X-Amz-Security-Token': secret(),
    'X-Session-Id': secret(),
    'X-Hub-Signature-256': `sha256=${secret()}`,
    DPoP: secret(),
    'X-Forwarded-Authorization': secret(),
    Referer: `https://me:${secret()}@pets.example/?sig=${secret()}#token=${secret()}`,
  };
  const members = [
    'pwd',
    'pass',
    'passphrase',
    'private_key',
    'jwt',
    'pin',
    'otp',
    'sessionId',
    'clientSecret',
    'mfaCode',
    'hush',
    'codes',
  ];
  const json = JSON.stringify({
    ...Object.fromEntries(members.map((name) => [name, secret()])),
    cvv: secretNumber(),
    tokens: [secret(), { a: secret(), b: [secretNumber()] }],
    credentials: { user: secret() },
    url: `https://s3.example/a?a=1&X-Amz-Signature=${secret()}`,
    text: JSON.stringify({ password: secret() }),
    claims: `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${secret()}`,
  });
  const xml = `<a><n:password xmlns:n="n">${secret()}</n:password><b pin="${secret()}"/><secret><![CDATA[${secret()}]]></secret><otp><c>${secret()}</c></otp></a>`;
  const pairs = [
    { name: 'password', value: secret() },
    { value: secret(), Name: 'X-Api-Key' },
    { key: 'token', value: [secret(), { a: secretNumber() }] },
    { request: { headers: [{ name: 'Private-Token', value: secret(), comment: '' }] } },
  ];
  const graphql = {
    query: `mutation($a: String!) { login(user: "b", password: "${secret()}", pin : "${secret()}", again: $a) { id } }`,
    variables: { password: secret(), input: { secret: secret() } },
  };
  const csv = `id,"Password",note,api key\r\n1,"${secret()}, ""x""",a,${secret()}\n2,${secret()},"b,c",${secret()}\n`;
  const listed = `<r><param name="password" value="${secret()}"/><param value='${secret()}' name='pin'/><add key="password">${secret()}</add></r>`;
  const parts = [
    `Content-Disposition: form-data; name="pwd"\r\n\r\n${secret()}`,
    `Content-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n{"pin":"${secret()}"}`,
  ];
  const multipart = `--x\r\n${parts.join('\r\n--x\r\n')}\r\n--x--\r\n`;
  const form = `a=1&passphrase=${secret()}&user%5Bpassword%5D=${secret()}`;
  const harmless = {
    nextPageToken: 'page-2-of-7',
    max_tokens: 51_234_567,
    hasPassword: true,
    pin: null,
    author: 'latest',
    facts: [
      { name: 'color', value: 'dark green' },
      { name: 'next', value: { name: 'pin' } },
      { loc: ['body', 'password', 'name'], input: 'dark green' },
    ],
    hint: 'password: must have 8 characters; see https://pets.example/help?code=7',
  };
  const texts = {
    curl: `curl -H 'Authorization: Bearer ${secret()}' https://me:${secret()}@pets.example`,
    settings: `A=1\nexport DB_PASSWORD=${secret()}\n`,
    script: `var token = '${secret()}';`,
    connection: `Server=a;Password=${secret()};`,
    clone: `https://${secret()}@pets.example/a.git`,
    key: `-----BEGIN PRIVATE KEY-----\n${secret()}\n-----END PRIVATE KEY-----`,
    headers: [['Authorization', `Basic ${secret()}`]],
    document: `<a><password>${secret()}</password></a>`,
    contraseña: secret(),
  };
  const named = [
    { op: 'replace', path: '/user/password', value: secret() },
    { loc: ['body', 'password'], input: secret() },
    { field: 'user.pin', rejectedValue: secret() },
    { kty: 'RSA', n: 'abc', d: secret(), dp: secret() },
  ];
  const queries = [
    { query: `{ a(passwords: ["a", "${secret()}"], pin:, "${secret()}", token: """${secret()}""") }` },
    { query: `mutation($password: String = "${secret()}", $x: Int) { a(pin: $x) }`, variables: { x: secret() } },
  ];
  const yaml = `secrets:\n  a: ${secret()}\npassword: |\n  ${secret()}\n  ${secret()}\ntokens:\n- ${secret()}\nend: {pin: ${secret()}}\n`;
  const toml = `password = """\n${secret()}\n"""\n`;
  const plist = `<!DOCTYPE a [<!ENTITY pin "${secret()}">]><a><!-- pwd=${secret()} --><key>password</key><string>${secret()}</string></a>`;
  const page = `<html><meta name="csrf-token" content="${secret()}"><script>a = {"token": "${secret()}"}</script></html>`;
  const mixed = `--a\r\nContent-Type: application/http\r\nX-Api-Key: ${secret()}\r\n\r\nGET / HTTP/1.1\r\nAuthorization: Bearer ${secret()}\r\n\r\n--a--\r\n`;
  const extended = `--a\r\nContent-Disposition: form-data; name*=utf-8''pass%77ord\r\n\r\n${secret()}\r\n--a--\r\n`;
  const content = { size: 1, mimeType: 'application/json', text: json };
  const post = (type: string, body: string, path = '/v1/login'): Entry => ({
    request: `POST ${path}`,
    headers: { ...headers, 'Content-Type': type },
    body,
    status: 500,
    content,
    responseHeaders: { ...JSON_TYPE, 'Set-Cookie': `a=${secret('y')}; Path=/`, Location: `/?signature=${secret()}` },
  });
  const { paths, components } = petsDocument as {
    readonly paths: object;
    readonly components: { readonly schemas: object };
  };
  const document = {
    ...petsDocument,
    paths: {
      ...paths,
      '/reset/{token}': { get: { operationId: 'reset', responses: { '204': { description: 'Done.' } } } },
    },
    components: {
      ...components,
      schemas: {
        ...components.schemas,
        Secrets: {
          type: 'object',
          properties: {
            hush: { type: 'string', writeOnly: true },
            codes: { type: 'array', items: { type: 'string', format: 'password' } },
          },
        },
      },
    },
  };
  const { code, stdout, read } = await check(
    [
      [
        post('application/json', json),
        post('application/xml', xml),
        post('multipart/form-data; boundary=x', multipart, `/v1/login?api_key=${secret()}&sig=${secret()}`),
        post('application/x-www-form-urlencoded', form),
        post('application/json', JSON.stringify(pairs)),
        post('application/json', JSON.stringify(graphql)),
        post('text/csv; header=present', csv),
        post('application/xml', listed),
        post('text/plain', `PASSWORD=${secret()}\n"api_key" : ${secret()} ${secret()}`),
        post('application/yaml', `id: 1\nusers:\n  - pin: ${secret()}\r\n    pwd: '${secret()}'\n`),
        post('text/event-stream', `data: {"password":"${secret()}"}\n\n`),
        post('application/json', JSON.stringify(texts)),
        post('application/json', JSON.stringify(named)),
        post('application/json', JSON.stringify(queries)),
        post('application/yaml', yaml),
        post('application/toml', toml),
        post('application/xml', plist),
        post('text/html', page),
        post('multipart/mixed', mixed),
        post('multipart/form-data; boundary=a', extended),
        post('text/tab-separated-values', `id\tpassword\n1\t${secret()}\n`),
        post('application/x-www-form-urlencoded', `grant_type=authorization_code&code=${secret()}`),
        post('application/x-www-form-urlencoded', `payload=${encodeURIComponent(`{"pin":"${secret()}"}`)}`),
        {
          ...post('application/json', '{}'),
          headers: { ...JSON_TYPE, Cookie: secret(), Referer: `https://pets.example/v1/reset/${secret()}` },
          responseHeaders: {
            'Set-Cookie': `a=1; Path=/, b=${secret()}; Path=/`,
            Location: `https://pets.example/?code=${secret()}&state=1#id_token=${secret()}`,
          },
        },
        {
          request: `GET /v1/reset/${secret()}`,
          status: 500,
          content: { size: 1, mimeType: 'text/plain', text: `{"pin":"${secret()}` },
        },
        ...['RESET/x', 'Reset/x/y', 'v2//reset/x/', '%72eset/x'].map((path) => ({
          request: `GET /v1/${path.replace('x', secret())}`,
          status: 404,
        })),
        { request: 'GET /v1/pets', status: 500, content: jsonOf(harmless) },
        { request: `GET /v1/pets/1?next=${encodeURIComponent(`/?token=${secret()}`)}`, status: 500 },
      ],
    ],
    ['--report', 'har:a.har', '--report', 'junit:a.xml', '--report', 'ndjson:a.ndjson', '--report', 'markdown:a.md'],
    document,
  );
  expect(code).toBe(1);
  const all = [stdout, ...['a.har', 'a.xml', 'a.ndjson', 'a.md'].map(read)].join('\n');
  expect(secrets.filter((text) => all.includes(text))).toEqual([]);
  expect(read('a.har')).toContain(JSON.stringify(JSON.stringify(harmless)).slice(1, -1));
  expect(read('a.har')).toContain('Bearer $TOKEN');
});

test('the archive from a check of a correct server has no failures', async () => {
  const url = await startReferenceServer();
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(shallowDocument));
  const run = (...args: readonly string[]) =>
    runHere(checkCommand, ['openapi.json', ...args], folder, { CONTRACT_TOKEN: TOKEN });
  await run('--url', url, '--seed', '1', '--runs', '10', '--report', 'har:a.har');
  const { code, stdout } = await run('--har', 'a.har');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/6 operations, [5-9]\d\d requests, 0 failures|, \d{4} requests, 0 failures/),
  ]);
});
