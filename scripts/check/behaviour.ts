import { documented, headerOf, type Check, type Evidence } from './conformance.ts';
import { isInAuthorization } from './credentials.ts';

// A refusal of the client or of the method, which says nothing about the data.
const NOT_ABOUT_DATA = [401, 403, 405];
const ABOUT_DATA = [400, 415, 422];

/** Invalid data is refused, with a documented 4xx. */
export const negativeDataRejection: Check = (evidence) => mustRefuse(evidence, 'invalid data');

/** A request without a required header is refused, with a documented 4xx. */
export const missingRequiredHeader: Check = (evidence) => mustRefuse(evidence, 'a request without a required header');

/**
 * Valid data is accepted, with a documented 2xx, or a 3xx that is documented by its own status.
 *
 * With path parameters, a documented 4xx that does not blame the data will do: which things exist in the service cannot
 * be known from the document, so an id that fits its schema may well be answered 404.
 */
export const positiveDataAcceptance: Check = ({ operation, answer: { status } }) => {
  if (status >= 500) return undefined; // not_a_server_error says so.
  const answered = `valid data was answered ${String(status)}`;
  if (documented(operation, status) === undefined) return `${answered}, which is not documented`;
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return operation.responses[status] === undefined ? answered : undefined;
  const mayBeUnknown = operation.parameters.some(({ in: location }) => location === 'path');
  const blamesNothing = ![...NOT_ABOUT_DATA, ...ABOUT_DATA].includes(status);
  return mayBeUnknown && blamesNothing ? undefined : answered;
};

/** A method that the document does not have for a path is answered 405, with the methods it has (RFC 9110, 15.5.6). */
export const unsupportedMethod: Check = ({ operation, sent, answer }) => {
  const { method } = sent.request;
  if (answer.status !== 405)
    return `${method} is not documented, and was answered ${String(answer.status)} instead of 405`;
  const allow = headerOf(answer, 'allow');
  if (allow === undefined) return '405 came without the header Allow';
  const allowed = allow.split(',').map((name) => name.trim());
  const left = operation.pathMethods.filter((name) => !allowed.includes(name));
  if (left.length > 0) return `Allow is "${allow}", without ${left.join(', ')}`;
  return allowed.includes(method) ? `Allow has ${method}, which was refused` : undefined;
};

/** Without valid credentials a protected operation answers 401, with a challenge (RFC 9110, 15.5.2). */
export const ignoredAuth: Check = ({ operation, sent, answer }) => {
  if (answer.status !== 401) return `with ${sent.what}, the answer is ${String(answer.status)} instead of 401`;
  const needsChallenge = operation.security.flat().some(isInAuthorization);
  return needsChallenge && headerOf(answer, 'www-authenticate') === undefined
    ? '401 came without the header WWW-Authenticate'
    : undefined;
};

function mustRefuse({ operation, sent, answer: { status } }: Evidence, what: string): string | undefined {
  if (status >= 500) return undefined; // not_a_server_error says so.
  const detail = sent.what === sent.kind ? '' : ` (${sent.what})`;
  const answered = `${what}${detail} was answered ${String(status)}`;
  if (status < 400 || NOT_ABOUT_DATA.includes(status)) return answered;
  return documented(operation, status) === undefined ? `${answered}, which is not documented` : undefined;
}
