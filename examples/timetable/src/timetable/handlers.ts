import type { Handlers, Matched, Reply, Request, Unmatched } from './contract.ts';

type Trip = Request<'addTrip'>['body'];

export function createHandlers() {
  const trips: Trip[] = [];
  return {
    async listTrips({ rawHeaders }): Promise<Reply<'listTrips'>> {
      return { status: 200, contentType: mediaTypeFor(rawHeaders['accept']), body: { trips } };
    },
    async addTrip({ body, contentType }): Promise<Reply<'addTrip'>> {
      trips.push(body);
      return { status: 201, contentType: mediaTypeFor(contentType), body };
    },
  } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}

/**
 * Returns the media type of XML if the header contains it, else of JSON. For an Accept header with weights, use a
 * package such as `negotiator`.
 */
function mediaTypeFor(header: unknown): 'application/xml' | 'application/json' {
  return String(header).includes('application/xml') ? 'application/xml' : 'application/json';
}
