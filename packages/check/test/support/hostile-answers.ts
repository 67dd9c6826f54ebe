import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

// A server with hostile responses, which the client must survive. It writes raw bytes, since HTTP libraries would not
// send most of them.

type Parts = AsyncIterable<string | Buffer> | Iterable<string | Buffer>;

/** A kind of hostile response to each request. */
export type HostileKind = {
  /** Returns the parts of a response. @param size the length of a large body */
  readonly answer: (size: number, method: string) => Parts;
  /** The text that is sent as soon as a client connects. */
  readonly greeting?: string;
  /** Whether the server closes the connection after a response. */
  readonly closes?: true;
};

const OK = 'HTTP/1.1 200 OK\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';
const CHUNKED = `${OK}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n`;
const BLOCK_BYTES = 65_536;

const headOf = (length: number, fields = JSON_TYPE): string =>
  `${OK}${fields}Content-Length: ${String(length)}\r\n\r\n`;
const smallAnswer = `${headOf(10)}{"id":"a"}`;

/** Sends a text, and then repeats a second text endlessly. */
const endless = (first: string, text: string): HostileKind => ({
  *answer() {
    yield first;
    const block = Buffer.from(text.repeat(Math.ceil(BLOCK_BYTES / text.length)));
    for (;;) yield block;
  },
});

/** Sends a text, and then a second text every second. */
const dripping = (first: string, text: string): HostileKind => ({
  async *answer() {
    yield first;
    for (;;) {
      await sleep(1_000, undefined, { ref: false });
      yield text;
    }
  },
});

const fixed = (text: string, rest: Partial<HostileKind> = {}): HostileKind => ({ answer: () => [text], ...rest });

/** Sends a complete response with a body. */
const body = (create: (size: number) => string | Buffer, fields = JSON_TYPE): HostileKind => {
  const bodies = new Map<number, Buffer>();
  return {
    *answer(size, method) {
      const bytes = bodies.get(size) ?? Buffer.from(create(size));
      bodies.set(size, bytes);
      yield headOf(bytes.length, fields);
      if (method !== 'HEAD') yield bytes;
    },
  };
};

/** Sends a thing with an additional member, whose value has about the given length. */
const member = (name: string, create: (size: number) => string): HostileKind =>
  body((size) => `{"id":"a","${name}":${create(size)}}`);
const repeat = (text: string, size: number): string => text.repeat(Math.ceil(size / text.length));
const listOf = (create: (index: number) => string, size: number): string => {
  const items = Array.from({ length: Math.ceil(size / (create(1_000_000).length + 1)) }, (_, index) => create(index));
  return `[${items.join()}]`;
};
const DEPTH = 100_000;

/** Kinds of hostile responses: too large, too slow, not HTTP, and JSON that is costly to validate. */
export const HOSTILE_KINDS = {
  'an endless body': endless(`${OK}${JSON_TYPE}\r\n"`, 'x'),
  'an endless chunked body': endless(CHUNKED, `10000\r\n${'1'.repeat(BLOCK_BYTES)}\r\n`),
  'endless chunks of one byte': endless(CHUNKED, '1\r\n1\r\n'),
  'an endless chunk extension': endless(`${CHUNKED}1;`, 'a'),
  'endless trailers': endless(`${CHUNKED}0\r\n`, 'A: b\r\n'),
  'endless headers': endless(OK, 'A: b\r\n'),
  'a header without an end': endless(`${OK}A: `, 'b'),
  'a status line without an end': endless('HTTP/1.1 200 ', 'b'),
  'an endless body of a failure': endless('HTTP/1.1 500 Oops\r\n\r\n', 'x'),
  'endless interim responses': endless('', 'HTTP/1.1 102 Processing\r\n\r\n'),
  'endless bytes after the end': endless(smallAnswer, 'x'),
  'endless answers': endless('', smallAnswer),
  'a declared length of 1 TB': endless(headOf(1e12), 'x'),
  'a body of a byte each second': dripping(headOf(1_000), 'x'),
  'a head of a byte each second': dripping(OK, 'a'),
  'an interim response each second': dripping('', 'HTTP/1.1 102 Processing\r\n\r\n'),
  'no answer': fixed(''),
  'no answer and the end': fixed('', { closes: true }),
  'a shorter body than declared': fixed(`${headOf(100)}{`, { closes: true }),
  'a longer body than declared': fixed(`${headOf(5)}{"id":"a"}`),
  'two answers': fixed(smallAnswer + smallAnswer),
  'an answer before the request': { ...fixed(smallAnswer), greeting: smallAnswer },
  'a switch of protocols': fixed('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello'),
  'an invalid status line': fixed('HTTP/1.1 abc OK\r\n\r\n'),
  'a status of 99': fixed('HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n'),
  'a status of 999': fixed('HTTP/1.1 999 High\r\nContent-Length: 0\r\n\r\n'),
  'two lengths': fixed(`${OK}${JSON_TYPE}Content-Length: 10\r\nContent-Length: 11\r\n\r\n{"id":"a"}`),
  'a negative length': fixed(headOf(-1)),
  'a redirect to itself': fixed('HTTP/1.1 302 Found\r\nLocation: /things\r\nContent-Length: 0\r\n\r\n'),
  'a wait of a minute': fixed('HTTP/1.1 429 Slow down\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n'),
  'a gzip bomb': body((size) => gzipSync(Buffer.alloc(100 * size, ' ')), `${JSON_TYPE}Content-Encoding: gzip\r\n`),
  'control characters': body(() => '{"id":"\x7f\x9b2J\u202e","\x9b2J":1}', `${JSON_TYPE}ETag: "\x9b2J"\r\n`),
  'a tag with odd characters': body(() => '{"id":"a"}', `${JSON_TYPE}ETag: "\xe9\t\x80,"\r\n`),
  'a large header': body(() => '{"id":"a"}', `${JSON_TYPE}ETag: "${'x'.repeat(16_000)}"\r\n`),
  'a location of angle brackets': body(() => '{"id":"a"}', `${JSON_TYPE}Link: ${'<'.repeat(16_000)}\r\n`),
  'a text without a type': body((size) => repeat(' ,', size), 'Content-Type: text/plain\r\n'),
  'a text of digits': body((size) => repeat('1', size), 'Content-Type: text/plain\r\n'),
  'a file': body((size) => Buffer.alloc(size), 'Content-Type: application/octet-stream\r\n'),
  'a long string': body((size) => `"${repeat('x', size)}"`),
  'a string of escapes': body((size) => `"${repeat('\\\\', size)}"`),
  'a string of control characters': body((size) => `"${repeat('\\u0000', size)}"`),
  'a long id': body((size) => `{"id":"${repeat('x', size)}"}`),
  'a long name, twice': body((size) => {
    const name = `"${repeat('x', size / 2)}"`;
    return `{${name}:1,${name}:2}`;
  }),
  'a long name of a wrong value': member('others', (size) => `{"${repeat('x', size)}":"x"}`),
  'many names': member('others', (size) => `{${listOf((index) => `"a${String(index)}":1`, size).slice(1, -1)}}`),
  'nested lists': body(() => '['.repeat(DEPTH) + ']'.repeat(DEPTH)),
  'nested objects': body(() => '{"child":'.repeat(DEPTH) + '1' + '}'.repeat(DEPTH)),
  'nested unique lists': member('nest', (size) => `${'['.repeat(450)}${listOf(() => '[]', size)}${']'.repeat(450)}`),
  'many numbers': member('numbers', (size) => listOf(() => '1', size)),
  'many long numbers': member('numbers', (size) => listOf((index) => String(2n ** 62n + BigInt(index)), size)),
  'many objects': member('objects', (size) => listOf(() => '{}', size)),
  'many unique items': member('tags', (size) => listOf((index) => `"${String(index)}"`, size)),
  'many items of a list': body((size) => `{"items":${listOf((index) => `{"id":"${String(index)}"}`, size)}}`),
  'a next page again and again': body((size) => `{"items":${listOf(() => '{"id":"a"}', size)},"next":"b"}`),
  'many digits': member('count', (size) => repeat('1', size)),
  'a large exponent': member('count', () => '1e999999999'),
  'a string for a costly pattern': member('code', (size) => `"${repeat('a', size)}!"`),
  'a string for a costly URI': member('uri', (size) => `"http://${repeat('a:', size)}"`),
  'a string for a costly address': member('mail', (size) => `"${repeat('a.', size)}@${'a-'.repeat(100)}"`),
  'a string for a costly regular expression': member('regex', (size) => `"${repeat('(a', size)}"`),
  'a long string of an enumeration': member('kind', (size) => `"${repeat('a', size)}"`),
  'a prototype': body(() => '{"id":"a","__proto__":{"id":1},"constructor":{"prototype":{"x":1}},"toString":1}'),
  'lone surrogates': body(() => '{"id":"\\ud800","\\udfff":"\\ud800"}'),
  'no UTF-8': body(() => Buffer.from('{"id":"\xff"}', 'latin1')),
  'no JSON': body((size) => repeat('}', size)),
} satisfies Record<string, HostileKind>;

export type HostileServer = {
  readonly url: string;
  /** Returns the number of bytes sent so far, including bytes that the client has not read. */
  readonly sentBytes: () => number;
  readonly close: () => void;
};

/** Starts a server that sends the same hostile response to each request. */
export async function startHostileServer(
  { answer, greeting = '', closes }: HostileKind,
  size: number,
): Promise<HostileServer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket
      .setNoDelay()
      .setEncoding('latin1')
      .on('error', () => undefined);
    socket.write(greeting, 'latin1');
    let received = '';
    socket.on('data', (text: string) => {
      received += text;
      const [, method = '', , length = '0'] = HEAD.exec(received) ?? [];
      const end = received.indexOf('\r\n\r\n') + 4;
      const isWhole = /\r\ntransfer-encoding:/i.test(received.slice(0, end))
        ? received.endsWith('0\r\n\r\n')
        : end >= 4 && received.length >= end + Number(length);
      if (!isWhole) return;
      received = '';
      // Ends with the connection at the latest.
      void pipeline(bytesOf(answer(size, method)), socket, { end: closes === true }).catch(() => undefined);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // A TCP address, not a pipe.
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  const sentBytes = (): number => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  return { url: `http://127.0.0.1:${String(port)}`, sentBytes, close };
}

async function* bytesOf(parts: Parts): AsyncGenerator<Buffer> {
  for await (const part of parts) yield Buffer.from(part as string, 'latin1'); // The encoding is ignored for Buffers.
}

const HEAD = /^(\w+) [^]*?(?:\r\ncontent-length: *(\d+)[^]*?)?\r\n\r\n/i;
