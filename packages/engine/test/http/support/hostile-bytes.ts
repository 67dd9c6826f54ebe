import fc from 'fast-check';

/** The size limit of request bodies, and the maximum size of generated bodies. */
const BODY_BYTES = 1_048_576;

const COMMON = [
  'a',
  '1',
  '-',
  '"',
  "'",
  ';',
  ',',
  '=',
  ':',
  '\r\n',
  '\n',
  '\0',
  '\x80',
  '\xff',
  '%',
  '%ff',
  '%0A',
  ' ',
  '\\',
];

const MULTIPART = [
  ...['--X', '--X\r\n', '\r\n--X\r\n', '--X--', '--X--\r\n', '\r\n\r\n', 'Content-Disposition: form-data'],
  ...[
    'Content-Disposition: ',
    'Content-Type: text/plain',
    'Content-Type: ',
    '; charset',
    '; charset=',
    '; name="text"',
  ],
  ...[
    '; name="file"',
    "; name*=utf-8''a%ff",
    '; name',
    '; filename="a"',
    '; filename*=x',
    'Content-Transfer-Encoding: ',
  ],
  ...['--X\r\nContent-Disposition: form-data; name="text"\r\n\r\n', '--X\r\nContent-Disposition: form-data\r\n\r\n'],
];
const FORM = [
  'text=a',
  'count=1',
  'list=a',
  '&',
  '=',
  '+',
  '%E0%A4',
  '%7B',
  '[',
  ']',
  'object=%7B%22a%22%3A1%7D',
  '__proto__=',
];
const JSON_TOKENS = [
  ...['{', '}', '[', ']', '{"', '":', '"text":"', '"count":', '"list":[', '"id":', '"date":"', '"object":{', '"url":"'],
  ...[
    '1e1,',
    '1.0',
    '-',
    '1e999999999',
    '9223372036854775807',
    '[1e1],',
    '{},',
    '[],',
    'null',
    'true',
    '\\u0000',
    '\\ud800',
  ],
  ...['"__proto__":', '"toString":1', '{"toString":1},', '\ufeff', '.', '@', '/', 'T', '{"id":1,"text":"a"}'],
];
const PATH = [
  '/',
  '/plain',
  '/x/',
  '/three/',
  '-',
  '--',
  '.',
  ':',
  '%2F',
  '%2e',
  '%0A',
  '%',
  '#',
  '?',
  '{',
  '}',
  '..',
  '*',
  'é',
];
const QUERY = [
  '?',
  'q=',
  'ids=1',
  'ids=',
  '&',
  'deep[a]=1',
  'deep[',
  ']',
  '|',
  ',',
  '%20',
  '+',
  '%',
  'json=%7B',
  '__proto__=1',
];
const HEADERS = [
  ...[
    'Content-Type: ',
    'Content-Length: ',
    'Transfer-Encoding: ',
    'Expect: ',
    'Host: ',
    'Cookie: ',
    'X-List: ',
    'X-Number: ',
  ],
  ...[
    'Authorization: Bearer ',
    'traceparent: ',
    'X-Request-Id: ',
    'Connection: ',
    'Upgrade: h2c',
    'chunked',
    'close',
    '00-',
  ],
];

/** Generates a sequence of tokens; some tokens are repeated many times. */
function tokens(dictionary: readonly string[], limit: number, maxRepeats = 3): fc.Arbitrary<string> {
  const repeats = fc.oneof({ weight: 20, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: maxRepeats }));
  const token = fc.constantFrom(...dictionary, ...COMMON);
  return fc
    .array(
      fc.tuple(token, repeats).map(([text, count]) => text.repeat(count)),
      { maxLength: 20 },
    )
    .map((texts) => texts.join('').slice(0, limit));
}

/** Valid bodies with one member repeated up to the size limit. */
const REPEATED: readonly (readonly [path: string, start: string, units: readonly string[], end: string])[] = [
  [
    '/json',
    '{"text":"a","list":[',
    ['1,', '1e1,', '{},', '[],', '[[]],', '{"toString":1},', '{"a":1},', '"a",', '12345678901234567,', '"\\u0000",'],
    '0]}',
  ],
  ['/json', '{"text":"a","object":{', ['"a":1,', '"__proto__":1e1,', '"a":12345678901234567,'], '"b":1}}'],
  ['/json', '{"text":"', ['a', '\\n', '\\ud800', 'é'], '"}'],
  ['/json', '{"text":"a","url":"http://', ['a', '/', '@', '.', ':', '%20', 'a.'], '"}'],
  ['/json', '{"text":"a","date":"', ['1', '1-', ':', '2026-11-22T'], '"}'],
  ['/form', 'text=a', ['&list=a', '&a=1', '&', '&object=%7B%7D', '&__proto__=1'], ''],
  [
    '/multipart',
    '',
    ['--X\r\nContent-Disposition: form-data; name=list\r\n\r\na\r\n', '\r\n--', '--X\r\n'],
    '--X--\r\n',
  ],
];

const TYPES: Readonly<Record<string, string>> = {
  '/multipart': 'multipart/form-data; boundary=X',
  '/form': 'application/x-www-form-urlencoded',
  '/json': 'application/json',
};

const repeated = fc.constantFrom(...REPEATED).chain(([path, start, units, end]) =>
  fc.tuple(fc.constantFrom(...units), fc.constantFrom(10, 1_000, 1_000_000)).map(([unit, count]) => {
    const room = Math.floor((BODY_BYTES - start.length - end.length) / unit.length);
    return [path, start + unit.repeat(Math.min(count, room)) + end] as const;
  }),
);

const members = fc.dictionary(fc.constantFrom('toString', '__proto__', 'constructor', 'a', ''), fc.jsonValue());
const guest = fc
  .record({ text: fc.string({ minLength: 1 }), list: fc.array(fc.oneof(members, fc.jsonValue())), object: members })
  .map((value) => JSON.stringify(value));

const body = fc.oneof(
  fc.tuple(fc.constant('/multipart'), tokens(MULTIPART, BODY_BYTES, 300_000)),
  fc.tuple(fc.constant('/form'), tokens(FORM, BODY_BYTES, 300_000)),
  fc.tuple(fc.constant('/json'), tokens(JSON_TOKENS, BODY_BYTES, 300_000)),
  fc.tuple(fc.constant('/json'), fc.oneof(guest, fc.json({ maxDepth: 5 }))),
  repeated,
);

/** The framing of a body: correct, too short, or chunked. */
const framing = fc.oneof(
  { weight: 8, arbitrary: fc.constant('exact' as const) },
  { weight: 1, arbitrary: fc.constant('short' as const) },
  { weight: 1, arbitrary: fc.constant('chunked' as const) },
);

/** Generates the bytes of an almost valid request to an operation of the fuzzed contract. */
export function hostileBytes(token: string): fc.Arbitrary<Buffer> {
  const authorization = `Authorization: Bearer ${token}\r\n`;
  const withBody = fc.tuple(body, framing).map(([[path, text], how]) => {
    const bytes = Buffer.from(text, 'latin1');
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: ${TYPES[path] ?? ''}\r\n`;
    if (how === 'chunked') {
      const chunk = `${head}Transfer-Encoding: chunked\r\n\r\n${bytes.length.toString(16)}\r\n`;
      return Buffer.concat([Buffer.from(chunk), bytes, Buffer.from('\r\n0\r\n\r\n')]);
    }
    const length = bytes.length + (how === 'short' ? 1 : 0);
    return Buffer.concat([Buffer.from(`${head}Content-Length: ${String(length)}\r\n\r\n`), bytes]);
  });
  const withPath = fc
    .tuple(
      fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'QUERY', 'get'),
      tokens(PATH, 8_000, 4_000),
      tokens(QUERY, 7_000, 4_000),
    )
    .map(([method, path, query]) =>
      Buffer.from(`${method} /${path}${query} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`, 'latin1'),
    );
  const withHeaders = fc
    .array(tokens([...HEADERS, token], 15_000, 4_000), { maxLength: 5 })
    .map((lines) => Buffer.from(`POST /json HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n{}`, 'latin1'));
  return fc.oneof(
    { weight: 4, arbitrary: withBody },
    { weight: 2, arbitrary: withPath },
    { weight: 1, arbitrary: withHeaders },
  );
}
