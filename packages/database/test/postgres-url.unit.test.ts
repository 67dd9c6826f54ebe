import { describePostgres, parsePostgresUrl, type PostgresLocation } from '../src/postgres/location.ts';

const DEFAULTS: PostgresLocation = {
  engine: 'postgres',
  hosts: [{ host: 'h', port: 5432 }],
  user: 'u',
  password: undefined,
  database: 'db',
  applicationName: undefined,
  connectTimeoutMs: undefined,
  tls: { mode: 'require', rootCertificate: undefined, certificate: undefined, key: undefined },
};

const tls = (settings: Partial<PostgresLocation['tls']>) => ({ tls: { ...DEFAULTS.tls, ...settings } });
const hosts = (...pairs: readonly (readonly [string, number])[]) => ({
  hosts: pairs.map(([host, port]) => ({ host, port })),
});

const table: readonly (readonly [given: string, want: Partial<PostgresLocation>])[] = [
  ['postgres://u@h/db', {}],
  ['postgresql://u@h/db', {}],
  ['postgres://u@h', { database: 'u' }],
  ['postgres://u@h/', { database: 'u' }],
  ['postgres://u@h?sslmode=require', { database: 'u' }],
  ['postgres://u:p@h:5433/db', { password: 'p', ...hosts(['h', 5433]) }],
  ['postgres://u:@h/db', {}],
  ['postgres://u@h:/db', {}],
  ['postgres://u:p:q?r#s&t@h/db', { password: 'p:q?r#s&t' }],
  ['postgres://u%40x:%2F%3A%40%3F%25%E2%82%AC+@h/d%2Fb', { user: 'u@x', password: '/:@?%€+', database: 'd/b' }],
  ['postgres://u@h1,h2:5433,[::1]:5434/db', hosts(['h1', 5432], ['h2', 5433], ['::1', 5434])],
  ['postgres://u@[fe80::1%25eth0]/db', hosts(['fe80::1%eth0', 5432])],
  ['postgres://u@my_host.local/db', hosts(['my_host.local', 5432])],
  [
    'postgres://u@%2Fvar%2Frun%2Fpostgresql:5433/db',
    { ...hosts(['/var/run/postgresql', 5433]), ...tls({ mode: 'disable' }) },
  ],
  ['postgres://u@h/db?application_name=a%20b', { applicationName: 'a b' }],
  ['postgres://u@h/db?connect_timeout=3', { connectTimeoutMs: 3_000 }],
  ['postgres://u@h/db?connect_timeout=0', {}],
  ['postgres://u@h/db?target_session_attrs=read-write', {}],
  ['postgres://u@h/db?target_session_attrs=primary', {}],
  ['postgres://u@h/db?sslmode=disable', tls({ mode: 'disable' })],
  ['postgres://u@h/db?sslmode=require', tls({ mode: 'require' })],
  ['postgres://u@localhost/db', { ...hosts(['localhost', 5432]), ...tls({ mode: 'disable' }) }],
  ['postgres://u@[::1]:5433/db', { ...hosts(['::1', 5433]), ...tls({ mode: 'disable' }) }],
  ['postgres://u@127.0.0.1,h/db', { ...hosts(['127.0.0.1', 5432], ['h', 5432]), ...tls({ mode: 'require' }) }],
  ['postgres://u@h/db?sslmode=require&sslrootcert=ca', tls({ mode: 'require', rootCertificate: 'ca' })],
  ['postgres://u@h/db?sslmode=verify-ca&sslrootcert=c%20a', tls({ mode: 'verify-ca', rootCertificate: 'c a' })],
  ['postgres://u@h/db?sslmode=verify-full&sslrootcert=ca', tls({ mode: 'verify-full', rootCertificate: 'ca' })],
  ['postgres://u@h/db?sslrootcert=system', tls({ mode: 'verify-full', rootCertificate: 'system' })],
  ['postgres://u@h/db?sslcert=c&sslkey=k', tls({ certificate: 'c', key: 'k' })],
];
test.each(table)('a PostgreSQL URL is parsed: %s', (given, want) => {
  expect(parsePostgresUrl(given)).toEqual({ location: { ...DEFAULTS, ...want } });
});

const refused: readonly (readonly [given: string, ...want: readonly RegExp[]])[] = [
  ['postgres:u@h/db', /must look like/],
  ['mysql://u@h/db', /must look like/],
  ['postgres://h/db', /no user/],
  ['postgres://:p@h/db', /no user/],
  ['postgres://u@/db', /host 1 is empty/],
  ['postgres://u@h1,,h3/db', /host 2 is empty/],
  ['postgres://u@h:0/db', /host 1 .* port/],
  ['postgres://u@h1,h2:65536/db', /host 2 .* port/],
  ['postgres://u@h:x/db', /host 1 must be/],
  ['postgres://u@::1/db', /host 1 must be/],
  ['postgres://u@[h]/db', /host 1 .* brackets/],
  ['postgres://u@a b/db', /host 1 .* character/],
  ['postgres://u:a@b@h/db', /host 1 .* password, .*%40/],
  ['postgres://u:a@b/c@h/db', /the database .* password, .*%40/],
  ['postgres://u@h/d/b', /the database must not have/],
  ['postgres://u@h/%zz', /the database has a %/],
  ['postgres://%ff@h/db', /the user has a %/],
  ['postgres://u:%@h/db', /the password has a %/],
  ['postgres://u@h/a%00b', /the database must not contain %00/],
  ['postgres://u@h/db?ssl=true', /parameter 1 must be one of sslmode, .*target_session_attrs$/],
  ['postgres://u@h/db?sslmode=disable&', /parameter 2 must be one of/],
  ['postgres://u@h/db?sslmode', /sslmode must be given as/],
  ['postgres://u@h/db?sslmode=a=b', /sslmode must be given as/],
  ['postgres://u@h/db?sslmode=disable&sslmode=require', /sslmode is given twice/],
  ['postgres://u@h/db?sslmode=prefer', /sslmode must be one of disable, require, verify-ca, verify-full: prefer and/],
  ['postgres://u@h/db?sslmode=verify-full', /sslmode=verify-full needs sslrootcert/],
  ['postgres://u@h/db?sslmode=verify-ca', /sslmode=verify-ca needs sslrootcert/],
  ['postgres://u@h/db?sslmode=verify-ca&sslrootcert=system', /sslrootcert=system needs sslmode=verify-full/],
  ['postgres://u@h/db?sslrootcert=', /sslrootcert must not be empty/],
  ['postgres://u@h/db?sslkey=k', /sslcert and sslkey/],
  ['postgres://u@h/db?connect_timeout=-1', /connect_timeout must be/],
  ['postgres://u@h/db?target_session_attrs=any', /target_session_attrs must be/],
  ['postgres://u@h/db?target_session_attrs=standby&connect_timeout=1.5', /connect_timeout/, /target_session_attrs/],
  ['postgres://@:x,/db?a=b&sslmode=on', /no user/, /host 1/, /host 2/, /parameter 1/, /sslmode/],
];
test.each(refused)('a PostgreSQL URL is refused: %s', (given, ...want) => {
  const read = parsePostgresUrl(given);
  const problems = 'problems' in read ? read.problems : [];
  expect(problems).toEqual(want.map((pattern) => expect.stringMatching(pattern)));
  expect(problems.filter((problem) => !/^DATABASE_URL: .*\S$/.test(problem))).toEqual([]);
});

const passwords = [
  'zq/zq',
  'zq@zq',
  'zq@zq/x',
  'z:zq/z:zq',
  'zq%zq',
  'zq?zq/',
  'zq[zq]/',
  'x?zq=y/',
  'zq zq/,',
  'zq,zq/#',
];
test.each(passwords)('a PostgreSQL URL is refused without quoting any part of the password: %s', (password) => {
  for (const rest of ['h/db', '', 'h:x/db?sslmode=zq&zq=1&sslrootcert=', '[zq]/%']) {
    const read = parsePostgresUrl(`postgres://u:${password}@${rest}`);
    expect(read).toHaveProperty('problems');
    expect(JSON.stringify(read)).not.toContain('zq');
  }
});

test.each([
  ['postgres://u:p@h/db', 'postgres://u@h:5432/db'],
  ['postgres://u%40x:p@h1,[::1]:5433/d%2Fb?sslmode=require', 'postgres://u%40x@h1:5432,[::1]:5433/d%2Fb'],
  ['postgres://u:p@%2Fvar%2Frun', 'postgres://u@%2Fvar%2Frun:5432/u'],
])('a location is described without its password: %s', (given, want) => {
  const read = parsePostgresUrl(given);
  expect('location' in read && describePostgres(read.location)).toBe(want);
});
