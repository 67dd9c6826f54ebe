import { answerJson, TOKEN, type Defect, type ServerAnswer, type ServerRequest } from './reference-server.ts';

// The kinds of defects of the reference server.

type Change = (answer: ServerAnswer) => Partial<ServerAnswer>;

/** Changes responses with matching statuses. */
const onStatuses =
  (isAffected: (status: number) => boolean, change: Change): Defect =>
  (request, respond) => {
    const answer = respond(request);
    return isAffected(answer.status) ? { ...answer, ...change(answer) } : answer;
  };
/** Changes successful responses. */
export const onSuccess = (change: Change): Defect => onStatuses((status) => status < 300, change);
/** Changes the responses with one status. */
export const onStatus = (status: number, change: Change): Defect => onStatuses((its) => its === status, change);
/** Changes requests before the server handles them. */
export const onRequest =
  (change: (request: ServerRequest) => Partial<ServerRequest>): Defect =>
  (request, respond) =>
    respond({ ...request, ...change(request) });
/** Changes the text of JSON bodies before they are parsed. */
export const onText = (change: (text: string) => string): Defect =>
  onRequest(({ body }) => ({ body: Buffer.from(change(body.toString())) }));
/** Responds to matching requests with another status. */
export const answers =
  (status: number, isAffected: (request: ServerRequest) => boolean): Defect =>
  (request, respond) =>
    isAffected(request) ? answerJson(status, { error: status, message: 'refused' }, CHALLENGE) : respond(request);

/** Responds to requests whose body contains a text with another status. */
export const answersTo = (status: number, text: string): Defect =>
  answers(status, (request) => textOf(request).includes(text));

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };
export const without =
  (name: string): Change =>
  ({ headers }) => ({ headers: Object.fromEntries(Object.entries(headers).filter(([known]) => known !== name)) });
export const withHeaders =
  (added: ServerAnswer['headers']): Change =>
  ({ headers }) => ({ headers: { ...headers, ...added } });
export const withHeader = (request: ServerRequest, name: string, value: string): Partial<ServerRequest> => ({
  headers: { ...request.headers, [name]: value },
});
export const letIn = (isLetIn: (authorization: string, url: string) => boolean): Defect =>
  onRequest((request) =>
    isLetIn(request.headers['authorization'] ?? '', request.url)
      ? withHeader(request, 'authorization', `Bearer ${TOKEN}`)
      : {},
  );
export const textOf = ({ body }: ServerRequest): string => body.toString();
export const hasContentType =
  (text: string) =>
  ({ headers }: ServerRequest): boolean =>
    headers['content-type']?.includes(text) ?? false;
export const hasAuthorization =
  (pattern: RegExp) =>
  ({ headers }: ServerRequest): boolean =>
    pattern.test(headers['authorization'] ?? '');
/** Accepts uploads whose media type lacks a parameter. */
export const answersWithout =
  (parameter: string): Defect =>
  (request, respond) =>
    hasContentType(parameter)(request) || !hasContentType('multipart')(request)
      ? respond(request)
      : answerJson(201, { bytes: 0 });
/** Accepts the token in another place of the request. */
const takesIn =
  (header: string, value: string) =>
  (place: (request: ServerRequest) => string | undefined): Defect =>
    onRequest((request) => (place(request)?.includes(TOKEN) === true ? withHeader(request, header, value) : {}));
export const takesTokenIn = takesIn('authorization', `Bearer ${TOKEN}`);
export const takesKeyIn = takesIn('x-key', TOKEN);
export const isBroken = (request: ServerRequest): boolean => !hasAuthorization(/./)(request) && textOf(request) === '{';
