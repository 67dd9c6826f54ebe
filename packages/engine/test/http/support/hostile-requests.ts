import { brotliCompressSync, gzipSync } from 'node:zlib';
import { TOKEN } from '@contract-first/testing/app.ts';

/** The bytes that a hostile client sends on a connection, and the expected statuses until the connection closes. */
export type HostileRequest = readonly [name: string, bytes: string | Buffer, statuses: readonly number[]];

const ANNA = '{"id":1,"name":"Anna"}';
const HEAD = `POST /guests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const GOOD = withBody(ANNA);
/** A request that gets 404 and closes the connection. Its response shows that the bytes before were one request. */
const LAST = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

const inChunks = (body: string): string => `${CHUNKED}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const framed = (...lines: string[]): string => `${HEAD}${lines.join('\r\n')}\r\n\r\n${ANNA}`;
const get = (line: string, ...lines: string[]): string => [line, ...lines, '', ''].join('\r\n');

function withBody(body: string | Buffer, ...lines: string[]): string {
  const fields = [...lines, `Content-Length: ${String(Buffer.byteLength(body))}`];
  return `${HEAD}${fields.join('\r\n')}\r\n\r\n${body.toString('latin1')}`;
}

export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  // Where a body ends
  ['Content-Length, then Transfer-Encoding', framed('Content-Length: 4', 'Transfer-Encoding: chunked'), [400]],
  ['Transfer-Encoding, then Content-Length', framed('Transfer-Encoding: chunked', 'Content-Length: 4'), [400]],
  ['the same Content-Length twice', framed('Content-Length: 22', 'Content-Length: 22'), [400]],
  ['two values of Content-Length', framed('Content-Length: 22', 'Content-Length: 5'), [400]],
  ['a list of Content-Lengths', framed('Content-Length: 22, 22'), [400]],
  ['a Content-Length with a plus', framed('Content-Length: +22'), [400]],
  ['a Content-Length with a minus', framed('Content-Length: -1'), [400]],
  ['a hexadecimal Content-Length', framed('Content-Length: 0x16'), [400]],
  ['a Content-Length with a fraction', framed('Content-Length: 22.0'), [400]],
  ['an empty Content-Length', framed('Content-Length:'), [400]],
  ['a Content-Length beyond 64 bits', framed('Content-Length: 18446744073709551638'), [400]],
  ['a Content-Length that is too small', `${framed('Content-Length: 21')}${LAST}`, [400, 400]],
  ['Transfer-Encoding: xchunked', framed('Transfer-Encoding: xchunked'), [400]],
  ['Transfer-Encoding: identity', framed('Transfer-Encoding: identity'), [400]],
  ['Transfer-Encoding: gzip, chunked', `${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, [501]],
  ['Transfer-Encoding: chunked, gzip', framed('Transfer-Encoding: chunked, gzip'), [400]],
  ['Transfer-Encoding: chunked, chunked', framed('Transfer-Encoding: chunked, chunked'), [400]],
  ['Transfer-Encoding with an empty member', `${HEAD}Transfer-Encoding: , chunked\r\n\r\n0\r\n\r\n`, [400]],
  ['Transfer-Encoding twice', framed('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'), [400]],
  ['Transfer-Encoding in quotes', framed('Transfer-Encoding: "chunked"'), [400]],
  ['Transfer-Encoding with a parameter', framed('Transfer-Encoding: chunked;a=b'), [400]],
  ['Transfer-Encoding after a vertical tab', framed('Transfer-Encoding: \vchunked'), [400]],
  ['Transfer-Encoding on a folded line', framed('Transfer-Encoding:', ' chunked'), [400]],
  ['Transfer-Encoding with a space before the colon', framed('Transfer-Encoding : chunked'), [400]],
  ['Transfer-Encoding in HTTP/1.0', CHUNKED.replace('1.1', '1.0') + '0\r\n\r\n', [400]],
  ['a chunk size that is not a number', `${CHUNKED}zz\r\n`, [400]],
  ['a negative chunk size', `${CHUNKED}-16\r\n`, [400]],
  ['a chunk size with 0x', `${CHUNKED}0x16\r\n`, [400]],
  ['a chunk size beyond 64 bits', `${CHUNKED}10000000000000016\r\n`, [400]],
  ['a chunk size that is too small', `${CHUNKED}15\r\n${ANNA}\r\n0\r\n\r\n`, [400]],
  ['a chunk size that ends with a bare LF', `${CHUNKED}16\n${ANNA}\r\n0\r\n\r\n`, [400]],
  ['a chunk without its CRLF', `${CHUNKED}16\r\n${ANNA}0\r\n\r\n`, [400]],
  ['a chunk extension of 20,000 bytes', `${CHUNKED}16;a=${'b'.repeat(20_000)}\r\n${ANNA}\r\n0\r\n\r\n`, [413]],
  ['a bomb of trailer fields', `${inChunks(ANNA).slice(0, -2)}${'a: b\r\n'.repeat(20_000)}\r\n`, [431]],
  ['300,000 chunks of one byte', `${CHUNKED}${'1\r\n[\r\n'.repeat(300_000)}0\r\n\r\n${LAST}`, [400, 404]],
  ['a body after Connection: close', withBody(ANNA, 'Connection: close') + GOOD, [200]],

  // Lines and fields
  ['a bare LF after each line', get('GET / HTTP/1.1', 'Host: x').replaceAll('\r', ''), [400]],
  ['a bare CR after each line', get('GET / HTTP/1.1', 'Host: x').replaceAll('\n', ''), [400]],
  ['a folded field', get('GET / HTTP/1.1', 'Host: x', 'A: b', ' c'), [400]],
  ['a space before the first field', get('GET / HTTP/1.1', ' Host: x'), [400]],
  ['a space before a colon', get('GET / HTTP/1.1', 'Host : x'), [400]],
  ['a field without a colon', get('GET / HTTP/1.1', 'Host: x', 'Nothing'), [400]],
  ['a field without a name', get('GET / HTTP/1.1', 'Host: x', ': nothing'), [400]],
  ['a null byte in a value', get('GET / HTTP/1.1', 'Host: x', 'A: b\0c'), [400]],
  ['a null byte in a name', get('GET / HTTP/1.1', 'Host: x', 'A\0: b'), [400]],
  ['a bare CR in a value', get('GET / HTTP/1.1', 'Host: x', 'A: b\rc'), [400]],
  ['a field of 20,000 bytes', get('GET / HTTP/1.1', 'Host: x', `A: ${'b'.repeat(20_000)}`), [431]],
  ['20,000 fields', get('GET / HTTP/1.1', 'Host: x', ...Array<string>(20_000).fill('a:')), [431]],
  ['a good request after 2,100 fields', HEAD + 'a:\r\n'.repeat(2_100) + GOOD.slice(HEAD.length) + LAST, [200, 404]],
  ['a target of 20,000 bytes', get(`GET /${'a'.repeat(20_000)} HTTP/1.1`, 'Host: x'), [431]],

  // Request lines
  ['an unknown method', get('BREW /guests HTTP/1.1', 'Host: x'), [400]],
  ['a method in lower case', get('post /guests HTTP/1.1', 'Host: x'), [400]],
  ['a method that is not a token', get('G{T /guests HTTP/1.1', 'Host: x'), [400]],
  ['a space before the method', get(' GET /guests HTTP/1.1', 'Host: x'), [400]],
  ['a space in the target', get('GET /a b HTTP/1.1', 'Host: x'), [400]],
  ['a target without a slash', get('GET guests HTTP/1.1', 'Host: x'), [400]],
  ['a null byte in the target', get('GET /\0 HTTP/1.1', 'Host: x'), [400]],
  ['the target * without OPTIONS', get('GET * HTTP/1.1', 'Host: x') + LAST, [400, 404]],
  ['HTTP/0.9', 'GET /guests\r\n\r\n', [505]],
  ['HTTP/1.2', get('GET / HTTP/1.2', 'Host: x'), [400]],
  ['HTTP/2.0', get('GET / HTTP/2.0', 'Host: x'), [505]],
  ['HTTP/9.9', get('GET / HTTP/9.9', 'Host: x'), [400]],
  ['a version that is not a number', get('GET / HTTP/one', 'Host: x'), [400]],
  ['another protocol', get('GET / ICY/1.1', 'Host: x'), [400]],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  ['a TLS hello', Buffer.from('16030100c8010000c40303', 'hex'), [400]],
  ['an SSH hello', 'SSH-2.0-OpenSSH_9.9\r\n', [400]],
  ['noise', Buffer.alloc(10_000, 0xfe), [400]],
  ['CONNECT', get('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443'), [501]],
  ['CONNECT after a good request', GOOD + get('CONNECT a:1 HTTP/1.1', 'Host: a:1'), [200, 501]],

  // Host and target
  ['no Host', get('GET / HTTP/1.1'), [400]],
  ['no Host in HTTP/1.0, where it is optional', get('GET / HTTP/1.0'), [404]],
  ['two Hosts', get('GET / HTTP/1.1', 'Host: x', 'HOST: x'), [400]],
  ['two Hosts in HTTP/1.0', get('GET / HTTP/1.0', 'Host: x', 'Host: y'), [400]],
  ['a Host with a space', get('GET / HTTP/1.1', 'Host: a b'), [400]],
  ['a Host with a path', get('GET / HTTP/1.1', 'Host: a/b'), [400]],
  ['a Host with a user', get('GET / HTTP/1.1', 'Host: a@b'), [400]],
  ['a Host with a port that is not a number', get('GET / HTTP/1.1', 'Host: a:b'), [400]],
  ['a URL of another scheme', get('GET ftp://x/guests HTTP/1.1', 'Host: x') + LAST, [400, 404]],
  ['a URL without a host', get('GET http:///guests HTTP/1.1', 'Host: x') + LAST, [400, 404]],
  ['a URL with an invalid host', get('GET http://[::1/guests HTTP/1.1', 'Host: x'), [400]],
  ['a URL of a scheme alone', get('GET http:// HTTP/1.1', 'Host: x'), [400]],
  ['a URL with a user', get('GET http://a:b@x/guests HTTP/1.1', 'Host: x') + LAST, [400, 404]],
  ['a URL beside two Hosts', get('GET http://x/guests HTTP/1.1', 'Host: x', 'Host: y'), [400]],

  ['two Content-Types', withBody(ANNA, 'Content-Type: text/plain'), [400]],

  // Expectations, protocols, pipelines
  ['an unknown expectation', withBody(ANNA, 'Expect: the worst'), [417]],
  ['an unknown expectation beside a known one', withBody(ANNA, 'Expect: 100-continue, 200-ok'), [417]],
  ['an upgrade that the service does not offer', withBody(ANNA, 'Connection: Upgrade', 'Upgrade: h2c') + LAST, [200]],
  ['a good request and a broken one', `${GOOD}GARBAGE\r\n\r\n`, [200, 400]],
  ['three good requests and a broken one', `${GOOD.repeat(3)}GET / HTTP/1.1\r\nHost : x\r\n\r\n`, [200, 200, 200, 400]],
  ['a good request and a broken body', `${GOOD}${CHUNKED}zz\r\n`, [200, 400]],
  ['500 good requests at once', GOOD.repeat(500) + LAST, [...Array<number>(500).fill(200), 404]],
  ['empty lines before a request', `${'\r\n'.repeat(1_000)}${LAST}`, [404]],

  // Bodies
  ['JSON 10,000 levels deep', withBody('['.repeat(10_000) + ']'.repeat(10_000)) + LAST, [400, 404]],
  ['JSON that never closes', withBody('{"a":'.repeat(100_000)) + LAST, [400, 404]],
  ['a number with an exponent of 9 digits', withBody('{"id":1e999999999,"name":"Anna"}') + LAST, [400, 404]],
  ['a number of 100,000 digits', withBody(`{"id":${'9'.repeat(100_000)},"name":"Anna"}`) + LAST, [400, 404]],
  ['__proto__ in the place of the guest', withBody(`{"__proto__":${ANNA}}`) + LAST, [400, 404]],
  ['__proto__ beside it', withBody('{"id":1,"name":"Anna","__proto__":{"tag":1}}') + LAST, [200, 404]],
  ['constructor.prototype', withBody('{"constructor":{"prototype":{"name":"x"}}}') + LAST, [400, 404]],
  // Closes the connection, since the response may precede the end of the body.
  ['a gzip bomb', withBody(gzipSync(Buffer.alloc(50_000_000)), 'Content-Encoding: gzip', 'Connection: close'), [415]],
  ['a brotli bomb', withBody(brotliCompressSync(Buffer.alloc(50_000_000)), 'Content-Encoding: br') + LAST, [415, 404]],
  ['an announced body of 10 TB', `${HEAD}Content-Length: 10000000000000\r\n\r\n{`, [413]],
  ['an endless body', `${CHUNKED}fffffff\r\n${' '.repeat(2_000_000)}`, [413]],
  ['a body of null bytes', withBody('\0'.repeat(1_000)) + LAST, [400, 404]],
  ['a wrong token with half a body', HEAD.replace(TOKEN, 'nope') + 'Content-Length: 22\r\n\r\n{', [401]],
].map(([name, bytes, statuses]) => [
  name,
  typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes,
  statuses,
]) as readonly HostileRequest[];
