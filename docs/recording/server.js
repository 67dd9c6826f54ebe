import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import process from 'node:process';
import { URL } from 'node:url';

const isFixed = process.argv.includes('--fixed');
const server = createServer(async (request, response) => {
  const respond = (status, body, headers = {}) => {
    response.writeHead(status, { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
  if (new URL(request.url, 'http://localhost').pathname !== '/books') return respond(404);
  if (request.method !== 'POST') return respond(405, undefined, { Allow: 'POST' });
  if (!/^application\/json *(?:;|$)/i.test(request.headers['content-type'])) return respond(400);
  const chunks = await Array.fromAsync(request);
  try {
    const { title, pages, ...others } = JSON.parse(Buffer.concat(chunks));
    // A common bug: `!pages` also rejects 0, which the document allows.
    const isMissing = isFixed ? pages === undefined : !pages;
    const isBook = typeof title === 'string' && Number.isInteger(pages) && pages >= 0 && pages <= 9999;
    if (!isBook || Object.keys(others).length > 0 || isMissing) return respond(400);
    return respond(201, { title, pages });
  } catch {
    return respond(400);
  }
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
