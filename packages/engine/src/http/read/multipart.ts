import { MIMEType } from 'node:util';
import { essenceOf } from '@contract-first/contract';
import { malformedFailure, type Failure } from '../failure.ts';

/** The header of one part of a multipart body. */
export type Part = {
  readonly name: string;
  /** The filename without folders; `undefined` when the part has none. */
  readonly filename: string | undefined;
  /** A media type without parameters. */
  readonly contentType: string;
};

/** A chunk of the content of a part. */
type PartBytes = { readonly part: Part; readonly bytes: Buffer };

// Django and PHP have the same limit.
const MAX_PARTS = 1_000;
const MAX_HEADER_BYTES = 8_192;
// Spaces and tabs may follow a boundary (RFC 2046, 5.1.1).
const MAX_PADDING_BYTES = 128;
const NO_BYTES = Buffer.alloc(0);
const LINE_END = Buffer.from('\r\n');
const HEADER_END = Buffer.from('\r\n\r\n');
const [CR, LF, DASH, SPACE, TAB] = [0x0d, 0x0a, 0x2d, 0x20, 0x09];

/**
 * Parses a `multipart/form-data` body (RFC 7578) while it arrives. An empty body has no parts.
 *
 * @param contentType includes the boundary
 * @returns the content of the parts in order, at least one chunk for each part
 * @throws {Failure} 400 when the body is malformed or has too many parts
 */
export async function* readParts(chunks: AsyncIterable<Buffer>, contentType: string): AsyncGenerator<PartBytes, void> {
  const parser = new MultipartParser(boundaryOf(contentType));
  let isEmpty = true;
  for await (const chunk of chunks) {
    isEmpty = false;
    yield* parser.push(chunk);
  }
  if (!isEmpty && !parser.isComplete) throw malformed('its last boundary is missing');
}

/** @throws {Failure} 400 when the Content-Type has no boundary */
function boundaryOf(contentType: string): string {
  try {
    const boundary = new MIMEType(contentType).params.get('boundary') ?? '';
    if (boundary !== '') return boundary;
  } catch {
    // The Content-Type is not a valid media type.
  }
  throw malformed('its Content-Type has no boundary');
}

/** Splits the bytes of a body at its boundary. */
class MultipartParser {
  /** Whether the last boundary was found. */
  isComplete = false;
  readonly #delimiter: Buffer;
  /** Bytes not yet parsed. Initially a line end, since the first boundary may be at the start of the body. */
  #rest = LINE_END;
  #isHeader = false;
  /** `undefined` before the first boundary: the bytes before it are ignored. */
  #part: Part | undefined;
  /** The size of a header's line end, which is not content but may begin a boundary. */
  #skippedBytes = 0;
  #partCount = 0;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  *push(chunk: Buffer): Generator<PartBytes, void> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let bytes = this.#read(); bytes !== undefined; bytes = this.#read())
      if (this.#part !== undefined) yield { part: this.#part, bytes };
  }

  /** Reads a header or a chunk of content. Returns `undefined` when more bytes are needed. */
  #read(): Buffer | undefined {
    if (!this.isComplete) return this.#isHeader ? this.#readHeader() : this.#readContent();
    this.#rest = NO_BYTES; // The bytes after the last boundary are ignored.
    return undefined;
  }

  /** Reads the header of a part. Returns `undefined` when more bytes are needed. */
  #readHeader(): Buffer | undefined {
    const end = this.#rest.indexOf(HEADER_END);
    if (end > MAX_HEADER_BYTES || (end === -1 && this.#rest.length > MAX_HEADER_BYTES))
      throw malformed('the header of a part is too long');
    if (end === -1) return undefined;
    this.#partCount += 1;
    if (this.#partCount > MAX_PARTS)
      throw malformedFailure('body', `must not have more than ${String(MAX_PARTS)} parts`, 'the request body');
    this.#part = parseHeader(this.#rest.toString('utf8', 0, end));
    this.#rest = this.#rest.subarray(end + LINE_END.length);
    this.#skippedBytes = LINE_END.length;
    this.#isHeader = false;
    return NO_BYTES;
  }

  /** Reads the content of a part up to the next boundary. Returns `undefined` when more bytes are needed. */
  #readContent(): Buffer | undefined {
    const { start, end } = findDelimiter(this.#rest, this.#delimiter);
    const skipped = Math.min(start, this.#skippedBytes);
    this.#skippedBytes -= skipped;
    const content = this.#rest.subarray(skipped, start);
    this.#rest = this.#rest.subarray(end ?? start);
    if (end === undefined) return content.length === 0 ? undefined : content;
    this.isComplete = this.#rest[0] === DASH;
    this.#isHeader = true;
    return content;
  }
}

/**
 * Finds a boundary with its preceding line end and the spaces after it.
 *
 * @returns the start of the boundary, or of bytes that may become a boundary; its end, before a line end or dashes
 */
function findDelimiter(bytes: Buffer, delimiter: Buffer): { readonly start: number; readonly end?: number } {
  for (let from = 0; ;) {
    const start = bytes.indexOf(delimiter, from);
    if (start === -1) return { start: Math.max(from, bytes.length - delimiter.length + 1) };
    const padding = start + delimiter.length;
    let end = padding;
    while ((bytes[end] === SPACE || bytes[end] === TAB) && end - padding < MAX_PADDING_BYTES) end += 1;
    const [first, second] = [bytes[end], bytes[end + 1]];
    const isLast = first === DASH && end === padding;
    if (isLast ? second === DASH : first === CR && second === LF) return { start, end };
    if (first === undefined || (second === undefined && (isLast || first === CR))) return { start };
    from = start + 1; // The boundary is only a prefix of this line.
  }
}

const FIELD = /^([\w!#$%&'*+.^`|~-]+)[ \t]*:[ \t]*([^\r\n\0]*)$/;
const PARAMETER = /;[ \t]*([^\s=;"]+)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^\s;"]*)[ \t]*/y;

/** Parses the header of a part. @throws {Failure} 400 without a Content-Disposition of `form-data` with a name */
function parseHeader(text: string): Part {
  const fields = new Map<string, string>();
  // A line that begins with white space continues the previous line.
  for (const line of text.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    if (line === '') continue;
    const [, name = '', value = ''] = FIELD.exec(line) ?? [];
    const key = name.toLowerCase();
    if (name === '' || fields.has(key)) throw malformed('the header of a part is malformed');
    fields.set(key, value.trimEnd());
  }
  const parameters = parseDisposition(fields.get('content-disposition') ?? '');
  const name = parameters?.get('name');
  if (name === undefined || name.includes('\uFFFD'))
    throw malformed('each part needs the header Content-Disposition: form-data; name="…"');
  const filename = extendedValue(parameters?.get('filename*')) ?? parameters?.get('filename');
  return {
    name,
    filename: filename === undefined ? undefined : baseName(filename),
    contentType: essenceOf(fields.get('content-type') ?? 'text/plain'),
  };
}

/** Returns the parameters of a `form-data` disposition, by name in lower case; `undefined` for other dispositions. */
function parseDisposition(text: string): ReadonlyMap<string, string> | undefined {
  const [type = ''] = /^[^\s;]*[ \t]*/.exec(text) ?? [];
  if (type.trimEnd().toLowerCase() !== 'form-data') return undefined;
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = type.length;
  let end = type.length;
  for (let match = PARAMETER.exec(text); match !== null; match = PARAMETER.exec(text)) {
    const [whole, name = '', value = ''] = match;
    end += whole.length;
    const key = name.toLowerCase();
    if (parameters.has(key)) return undefined;
    // Browsers do not escape backslashes, as in Windows paths.
    parameters.set(key, value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(["\\])/g, '$1') : value);
  }
  return /^;?[ \t]*$/.test(text.slice(end)) ? parameters : undefined;
}

/** Decodes the value of a parameter such as `filename*` (RFC 8187). @throws {Failure} 400 when it is not UTF-8 */
function extendedValue(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(text) ?? [];
    if (encoded !== undefined) return decodeURIComponent(encoded);
  } catch {
    // The percent-encoding is malformed.
  }
  throw malformed('the filename of a part is not UTF-8');
}

/** Returns a filename without folders, to prevent path traversal. */
function baseName(filename: string): string {
  const name = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1);
  return name === '.' || name === '..' ? '' : name;
}

function malformed(problem: string): Failure {
  return malformedFailure('body', `is not well-formed multipart/form-data: ${problem}`, 'the request body');
}
