import type { Handlers, Matched, Paths, Reply, Request, Unmatched } from './contract.ts';

export function createHandlers() {
  return { addMember, 'photos#add': addPhoto } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}

async function addMember({ query, headers, cookies, body }: Request<'addMember'>): Promise<Reply<'addMember'>> {
  // Defaults are present, including defaults of references, nested objects and list items.
  const weights: number[] = body.roles.map(({ weight }) => weight);
  const [limit, level, mode, page]: [number, number, 'fast' | 'safe', number] = [
    query.limit,
    body.level,
    headers['X-Mode'],
    cookies.page,
  ];
  const { secret, roles, ...member } = body;
  const granted = roles.map(({ title, weight }) => ({ title, weight, granted: '2026-01-01' }));
  const count = limit + level + mode.length + page + weights.length + secret.length;
  return {
    status: 200,
    headers: { 'X-Count': count },
    body: { ...member, id: 1n, since: '2026-01-01', roles: granted },
  };
}

async function addPhoto({ contentType, body }: Request<'photos#add'>): Promise<Reply<'photos#add'>> {
  const { title, copies } = body;
  const size = contentType === 'application/x-www-form-urlencoded' ? 0 : 'file' in body ? body.file.size : 0;
  return { status: 200, body: { id: size, title, copies } };
}

// The rest is only type-checked, never run.
type Member = Request<'addMember'>['body'];
type Sent = Paths['/members/{club}']['post']['requestBody']['content']['application/json'];
type Answer = Extract<Reply<'addMember'>, { status: 200 }>;

export function received(body: Member, headers: Request<'addMember'>['headers']): unknown[] {
  const forbidden: undefined = body.id;
  const rank: bigint | undefined = body.rank;
  const notes: unknown = body.notes?.['anything'];
  const badge: string | undefined = body.badge;
  const sponsor: string | undefined = body.sponsor?.name;
  const score: string | number | undefined = body.scores?.['maths'];
  const contact: string | undefined = body.contact?.name;
  const [first, second]: [string, boolean?] = body.pair ?? [''];
  // @ts-expect-error OpenAPI ignores this header parameter
  const { authorization } = headers;
  // @ts-expect-error and this one of the path
  const { 'CONTENT-type': type } = headers;
  // @ts-expect-error and this one by reference
  const { ACCEPT: accept } = headers;
  return [forbidden, rank, notes, badge, sponsor, score, contact, first, second, authorization, type, accept];
}

const role = { title: 'Chair', granted: '2026-01-01' };
const answer = { id: 1n, name: 'Ada', since: '2026-01-01', roles: [role] };
const headers = { 'X-Count': 1 };
export const replies: Answer[] = [
  { status: 200, headers, body: answer },
  { status: 200, headers, body: { ...answer, level: 1, notes: { any: 'thing' }, scores: { label: 'x', maths: 1 } } },
  { status: 200, headers: { ...headers, 'X-Note': 'optional' }, body: answer },
  // @ts-expect-error an object without properties has none
  { status: 200, headers, body: { ...answer, nothing: { any: 'thing' } } },
  // @ts-expect-error a reply needs the required header
  { status: 200, headers: { 'X-Note': 'optional' }, body: answer },
  // @ts-expect-error a reply needs the required readOnly property
  { status: 200, headers, body: { name: 'Ada', since: '2026-01-01', roles: [role] } },
  // @ts-expect-error a reply needs a readOnly property that another part of allOf requires
  { status: 200, headers, body: { id: 1n, name: 'Ada', roles: [role] } },
  // @ts-expect-error a reply has no writeOnly property
  { status: 200, headers, body: { ...answer, secret: 'x' } },
  // @ts-expect-error nor within a list
  { status: 200, headers, body: { ...answer, roles: [{ ...role, proof: 'x' }] } },
];

const sent = { name: 'Ada', secret: 'x', roles: [{ title: 'Chair' }] };
export const requests: Sent[] = [
  sent,
  { ...sent, level: 2, roles: [{ title: 'Chair', weight: 2, proof: 'x' }] },
  // @ts-expect-error a request has no readOnly property
  { ...sent, id: 1n },
  // @ts-expect-error nor within a list
  { ...sent, roles: [{ title: 'Chair', granted: '2026-01-01' }] },
  // @ts-expect-error a request needs the required writeOnly property
  { name: 'Ada', roles: [] },
];
