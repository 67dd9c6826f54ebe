import type { components } from '../../generated/types.ts';
import type { BedRow, Beds } from './beds.ts';
import { Failure, type Handlers, type Matched, type Reply, type Request, type Unmatched } from './contract.ts';

export function createHandlers(beds: Beds) {
  return {
    listBeds: (request) => listBeds(beds, request),
    createBed: (request) => createBed(beds, request),
    getBed: (request) => getBed(beds, request),
    replaceBed: (request) => replaceBed(beds, request),
    removeBed: (request) => removeBed(beds, request),
    uploadPhoto: (request) => uploadPhoto(beds, request),
    getPhoto: (request) => getPhoto(beds, request),
    exportBeds: (request) => exportBeds(beds, request),
  } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}

async function listBeds(beds: Beds, { query }: Request<'listBeds'>): Promise<Reply<'listBeds'>> {
  const rows = await beds.list(query.after ?? 0n, query.limit);
  const last = rows.length === query.limit ? rows.at(-1) : undefined;
  return { status: 200, body: { beds: rows.map(toBed), ...(last && { next: last.id }) } };
}

// The engine repeats the response for the same Idempotency-Key. The bed and the response are stored in one transaction.
async function createBed(beds: Beds, { body, log }: Request<'createBed'>): Promise<Reply<'createBed'>> {
  const row = await beds.create(body);
  log.info({ bed: String(row.id) }, 'bed created');
  return { status: 201, headers: { Location: `/beds/${String(row.id)}`, ETag: etagOf(row) }, body: toBed(row) };
}

// The engine answers 304 if the client has the bed with this ETag.
async function getBed(beds: Beds, { path }: Request<'getBed'>): Promise<Reply<'getBed'>> {
  const row = await findBed(beds, path.id);
  return { status: 200, headers: { ETag: etagOf(row) }, body: toBed(row) };
}

async function replaceBed(
  beds: Beds,
  { path, body, assertMatch }: Request<'replaceBed'>,
): Promise<Reply<'replaceBed'>> {
  const bed = await beds.replace(path.id, body, (present) => {
    assertMatch({ etag: etagOf(present) });
  });
  if (bed === undefined) throw noBed('this bed does not exist');
  return { status: 200, headers: { ETag: etagOf(bed) }, body: toBed(bed) };
}

async function removeBed(beds: Beds, { path, assertMatch }: Request<'removeBed'>): Promise<Reply<'removeBed'>> {
  await beds.remove(path.id, (present) => {
    assertMatch({ etag: etagOf(present) });
  });
  return { status: 204 };
}

async function uploadPhoto(beds: Beds, { path, body }: Request<'uploadPhoto'>): Promise<Reply<'uploadPhoto'>> {
  await findBed(beds, path.id);
  await beds.savePhoto(path.id, await body.bytes());
  return { status: 204 };
}

async function getPhoto(beds: Beds, { path }: Request<'getPhoto'>): Promise<Reply<'getPhoto'>> {
  const png = await beds.photo(path.id);
  if (png === undefined) throw noBed('this bed has no photo');
  return { status: 200, body: png };
}

// The engine answers 406 if the client accepts neither media type.
async function exportBeds(beds: Beds, { accepts }: Request<'exportBeds'>): Promise<Reply<'exportBeds'>> {
  return accepts('application/jsonl', 'text/csv') === 'text/csv'
    ? { status: 200, contentType: 'text/csv', body: toCsv(beds.all()) }
    : { status: 200, contentType: 'application/jsonl', body: map(beds.all(), toBed) };
}

/** Finds a bed. @throws {Failure} 404 if it does not exist */
async function findBed(beds: Beds, id: bigint): Promise<BedRow> {
  const row = await beds.find(id);
  if (row === undefined) throw noBed('this bed does not exist');
  return row;
}

function noBed(detail: string): Failure {
  return new Failure({ status: 404, body: { status: 404, detail } });
}

function toBed({ id, crop, metres }: BedRow): components['schemas']['Bed'] {
  return { id, crop, squareMetres: Number(metres) };
}

function etagOf({ version }: BedRow): string {
  return `"${String(version)}"`;
}

async function* toCsv(rows: AsyncIterable<BedRow>): AsyncGenerator<string> {
  yield 'id,crop,squareMetres\r\n';
  for await (const { id, crop, metres } of rows)
    yield `${String(id)},"${crop.replaceAll('"', '""')}",${String(metres)}\r\n`;
}

async function* map<In, Out>(items: AsyncIterable<In>, convert: (item: In) => Out): AsyncGenerator<Out> {
  for await (const item of items) yield convert(item);
}
