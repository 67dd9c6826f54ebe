import { resolveReference, walkDocument, type OpenApiDocument } from '@contract-first/documents';

/** The place of a named value. `member`: a JSON member, a form field, or an XML element or attribute. */
export type NamedPlace = 'path' | 'header' | 'query' | 'cookie' | 'member';

/** Decides which names have secret values. */
export type SecretNames = {
  readonly isSecret: (place: NamedPlace, name: string) => boolean;
  /** Returns whether the document declares the value as secret. */
  readonly isDeclared: (place: NamedPlace, name: string) => boolean;
};

type Node = Readonly<Record<string, unknown>>;

// Names are compared without separators and case: `X-Api-Key`, `apiKey` and `API_KEY` are equal.
const WITHIN =
  /passw(?:or)?d|passwort|kennwort|contrasena|motdepasse|wachtwoord|passphrase|passcode|secret(?!ar)|credential|jwt|csrf|xsrf|mnemonic|apikey|privkey|apitoken|authtoken|accesstoken/;
const AT_END =
  /(?:token(?:value|hash)?|(?:access|refresh|auth|api|session|bearer)tokens|signature(?:sha)?\d*|authorization|sessionid|sessid|sessionkey|(?:recovery|seed|backup|pass)phrase|(?:recovery|backup|verification|confirmation|activation|reset|login|access|device|user|invite|invitation|unlock|pin|otp|mfa|2fa|sms|security|authorization|auth|one-?time)codes?|codeverifier|clientassertion|samlresponse|samlassertion|connectionstring|cardnumber|magic(?:link|url)|rememberme|security(?:answer|pin))$/;
const KEY_AT_END =
  /(?:private|secret|access|encryption|decryption|signing|signature|master|license|shared|sharedaccess|auth|account|subscription|functions?|service|admin|app|application|consumer|hmac|aes|rsa|ssh|pgp|webhook|wrapping|storage|deploy|host|server|client|bearer|crypto|vault|accountaccess)keys?(?:id|data|pem|material)?$/;
// Short words are secret only as the last word of a name, or as a whole name.
const LAST_WORD = /^(?:pwd?|psk|pass|creds?|pin|otp|totp|jwe|sig|hmac|cvv2?|cvc2?|dsn|puk)$/;
const WHOLE_NAME = /^(?:auth|authentication|bearer|assertion|dpop|tan|cookies?|setcookie|sid|tokens)$/;
const WHOLE_PARAMETER = /^session$/;
// Exceptions: paging tokens, cache and database keys, and flags about passwords.
const HARMLESS =
  /(?:page|next|prev|previous|continuation|continue|cursor|skip|sync|start|scroll|sort|end|delta|resume|change|idempotency|cancellation|invalidation)token$|^(?:surrogate|cache|idempotency|partition|sort|primary|foreign|routing|public|secwebsocket)key$|(?:has|is|no|needs|requires|allow)[a-z]*(?:password|passcode)$/;

/** Creates the rules for a document: common names of secrets, and declared secrets. */
export function createSecretNames(document: OpenApiDocument): SecretNames {
  const { secret, plain } = namesIn(document);
  const keyOf = (place: NamedPlace, name: string): string =>
    `${place} ${place === 'header' ? name.toLowerCase() : name}`;
  const isDeclared: SecretNames['isDeclared'] = (place, name) => secret.has(keyOf(place, name));
  return {
    isDeclared,
    isSecret(place, name) {
      if (isDeclared(place, name)) return true;
      // A cookie with any name may contain a session.
      if (place === 'cookie') return !plain.has(keyOf(place, name)) || isSecretName(place, name);
      return isSecretName(place, name);
    },
  };
}

function isSecretName(place: NamedPlace, name: string): boolean {
  const words = name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '' && word !== 'x');
  const joined = words.join('');
  if (HARMLESS.test(joined)) return false;
  const last = words.at(-1) ?? '';
  const isParameter = place === 'header' || place === 'query';
  return (
    [WITHIN, AT_END, KEY_AT_END, WHOLE_NAME].some((pattern) => pattern.test(joined)) ||
    LAST_WORD.test(last) ||
    (isParameter && WHOLE_PARAMETER.test(joined)) ||
    (place === 'header' && /^(?:key|auth|session|mfa)$/.test(last))
  );
}

/** Returns the names that a document declares as secret, and the cookies that it declares as plain parameters. */
function namesIn(document: OpenApiDocument) {
  const secret = new Set<string>();
  const plain = new Set<string>();
  const isSecretSchema = secretSchemas(document);
  const add = (place: unknown, name: unknown): void => {
    if (typeof place === 'string' && typeof name === 'string')
      secret.add(`${place} ${place === 'header' ? name.toLowerCase() : name}`);
  };
  const { securitySchemes = {} } = nodeOf(document['components']) as { readonly securitySchemes?: Node };
  for (const scheme of Object.values(securitySchemes)) {
    const { type, in: place = 'header', name } = nodeOf(scheme);
    if (type === 'apiKey') add(place, name);
  }
  walkDocument(document, ({ kind, node, pointer }) => {
    if (kind === 'parameter') {
      const { in: place, name, schema, content } = node;
      const schemas = [schema, ...Object.values(nodeOf(content)).map((media) => nodeOf(media)['schema'])];
      if (schemas.some((one) => isSecretSchema(one))) add(place, name);
      else if (place === 'cookie') plain.add(`cookie ${String(name)}`);
    } else if (kind === 'header') {
      const [, name = ''] = /\/headers\/([^/]+)$/.exec(pointer) ?? [];
      if (isSecretSchema(node['schema'])) add('header', name);
    } else if (kind === 'schema')
      for (const [name, property] of Object.entries(nodeOf(node['properties'])))
        if (isSecretSchema(property)) for (const one of [name, xmlNameOf(property)]) add('member', one);
  });
  for (const key of secret) plain.delete(key);
  return { secret, plain };
}

// Subschemas of the value itself, or of the items or members.
const PARTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items', 'additionalProperties', 'unevaluatedProperties'];

/** Creates a function that returns whether a schema has `format: password` or `writeOnly`. */
function secretSchemas(document: OpenApiDocument): (schema: unknown) => boolean {
  const known = new Map<unknown, boolean>();
  const isSecret = (schema: unknown): boolean => {
    const cached = known.get(schema);
    if (cached !== undefined) return cached;
    known.set(schema, false); // Ends the recursion in recursive schemas.
    const node = nodeOf(schema);
    const { $ref: reference } = node;
    const parts = PARTS.flatMap((keyword) => node[keyword] ?? []);
    const isFound =
      node['format'] === 'password' ||
      node['writeOnly'] === true ||
      parts.some(isSecret) ||
      (typeof reference === 'string' && isSecret(resolveReference(document, reference)));
    known.set(schema, isFound);
    return isFound;
  };
  return isSecret;
}

function xmlNameOf(schema: unknown): string | undefined {
  const { name } = nodeOf(nodeOf(schema)['xml']);
  return typeof name === 'string' ? name : undefined;
}

function nodeOf(value: unknown): Node {
  return Object(value) as Node; // An object for any value.
}
