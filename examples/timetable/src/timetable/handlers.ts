import type { Handlers, Matched, Reply, Request, Unmatched } from './contract.ts';

type Trip = Request<'addTrip'>['body'];

export function createHandlers() {
  const trips: Trip[] = [];
  return {
    async listTrips({ accepts }): Promise<Reply<'listTrips'>> {
      return { status: 200, contentType: accepts('application/json', 'application/xml'), body: { trips } };
    },
    async addTrip({ body, contentType, accepts }): Promise<Reply<'addTrip'>> {
      trips.push(body);
      const sent = contentType.startsWith('application/xml') ? 'application/xml' : 'application/json';
      return { status: 201, contentType: accepts(sent, 'application/json', 'application/xml'), body };
    },
  } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}
