import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { middleware } from 'express-openapi-validator';
import fc from 'fast-check';
import type { OpenApiDocument } from '@contract-first/documents';
import { HOSTILE_VALUES } from '../../../../model/src/values/hostile-values.ts';
import { placesOf, removeAt, replaceAt, type Json } from '../../../../model/src/values/json-value.ts';

const PLACES = 40;

/**
 * Returns an application that uses express-openapi-validator as documented. Responds to invalid requests with the
 * message.
 */
export function stock(document: OpenApiDocument, respond: RequestHandler): Express {
  const app = express();
  app.use(express.json({ strict: false }));
  const apiSpec = structuredClone(document) as unknown as Exclude<Parameters<typeof middleware>[0]['apiSpec'], string>;
  app.use(middleware({ apiSpec, validateRequests: true, validateResponses: true, validateSecurity: false }));
  app.use(respond);
  app.use(
    (
      error: { readonly status?: number; readonly message: string },
      _req: Request,
      res: Response,
      _next: NextFunction,
    ) => {
      res
        .status(error.status ?? 500)
        .type('text')
        .send(error.message);
    },
  );
  return app;
}

/** Generates valid values, some with one part changed or removed, and arbitrary values. */
export function withChanges(valid: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const changed = fc
    .tuple(valid, fc.nat(PLACES), fc.constantFrom(undefined, ...HOSTILE_VALUES))
    .map(([value, n, other]) => {
      const places = placesOf(value, PLACES);
      const place = places[n % places.length] ?? [];
      if (other !== undefined) return replaceAt(value, place, other);
      return place.length === 0 ? value : removeAt(value, place);
    });
  return fc.oneof(valid, changed, fc.jsonValue() as fc.Arbitrary<Json>);
}
