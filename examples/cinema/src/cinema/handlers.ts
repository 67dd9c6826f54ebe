import type { Bookings } from './bookings.ts';
import { ConstraintViolated } from '@contract-first/database';
import { Failure, type Handlers, type Matched, type Reply, type Request, type Unmatched } from './contract.ts';
import type { Sales } from './sales.ts';

export function createHandlers(bookings: Bookings, sales: Sales) {
  return {
    createScreening: (request) => createScreening(bookings, request),
    getScreening: (request) => getScreening(bookings, request),
    bookSeats: (request) => bookSeats(bookings, request),
    payBooking: (request) => payBooking(bookings, request),
    listSales: async () => ({ status: 200, body: { sales: await sales.list() } }),
  } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}

async function createScreening(
  bookings: Bookings,
  { body: { film, seats }, url }: Request<'createScreening'>,
): Promise<Reply<'createScreening'>> {
  try {
    const id = await bookings.schedule(film, seats);
    const Location = url('getScreening', { path: { id } });
    return { status: 201, headers: { Location }, body: { id, film, free: seats } };
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error;
    return { status: 409, body: { status: 409, detail: 'this film has a screening' } };
  }
}

async function getScreening(bookings: Bookings, { path }: Request<'getScreening'>): Promise<Reply<'getScreening'>> {
  const screening = await bookings.find(path.id);
  return screening === undefined
    ? missing('this screening does not exist')
    : { status: 200, body: { ...screening, free: Number(screening.free) } };
}

async function bookSeats(bookings: Bookings, { path, body }: Request<'bookSeats'>): Promise<Reply<'bookSeats'>> {
  const booked = await bookings.book(path.id, body.seats, BigInt(Date.now()));
  if (booked === 'missing') return missing('this screening does not exist');
  if (booked === 'sold out') return { status: 409, body: { status: 409, detail: 'not enough seats are free' } };
  return { status: 201, body: { id: booked, seats: body.seats } };
}

async function payBooking(bookings: Bookings, { path }: Request<'payBooking'>): Promise<Reply<'payBooking'>> {
  if (!(await bookings.pay(path.id))) return missing('this booking does not exist, or has expired');
  return { status: 204 };
}

function missing(detail: string): never {
  throw new Failure({ status: 404, body: { status: 404, detail } });
}
