import express, { type NextFunction, type Request, type Response } from 'express';
import { middleware as openApiValidator } from 'express-openapi-validator';
import passport from 'passport';
import { Strategy } from 'passport-http-bearer';
import { announce, createGuest, isKnownToken, log, readDocument, type NewGuest } from './peer.ts';

// The libraries that the service uses, combined as their documentation recommends.
const document = readDocument();
passport.use(
  new Strategy((token, done) => {
    done(null, isKnownToken(token) && { name: 'bench' });
  }),
);

const app = express();
app.disable('x-powered-by');
app.use((req, res, next) => {
  const startedAt = performance.now();
  res.on('finish', () => {
    const { method, originalUrl: url } = req;
    log.info({ method, url, status: res.statusCode, durationMs: performance.now() - startedAt });
  });
  next();
});
app.use(passport.authenticate('bearer', { session: false, failWithError: true }));
app.use(express.json());
app.use(
  openApiValidator({
    apiSpec: document as NonNullable<Parameters<typeof openApiValidator>[0]['apiSpec']>, // A validated document.
    validateRequests: true,
    validateResponses: true,
    validateSecurity: false, // Passport checks the token.
  }),
);
for (const path of Object.keys(document.paths)) {
  app.post(path, async (req: Request, res: Response) => {
    res.json(await createGuest(req.body as NewGuest)); // Validated by the middleware.
  });
}
// Express identifies an error handler by its four parameters.
app.use(
  (
    { status = 500, message }: { status?: number; message: string },
    _req: Request,
    res: Response,
    _next: NextFunction,
  ) => {
    res.status(status).json({ error: status, message });
  },
);
const server = app.listen(0, '127.0.0.1', () => {
  announce(server.address());
});
