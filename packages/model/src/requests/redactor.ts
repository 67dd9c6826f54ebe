import { isUtf8 } from 'node:buffer';
import { decode, type OpenApiDocument } from '@contract-first/documents';
import type { Secret } from '@contract-first/command-line/options';
import type { SplitSecrets } from './curl-line.ts';
import { redactBody, redactPairs, type Replacement } from './redact-body.ts';
import { createSecretNames, type NamedPlace, type SecretNames } from './secret-names.ts';
import { createSecretSearch, type SecretSearch } from './secrets.ts';
import type { WireRequest } from './wire-request.ts';
import { EXCERPT_BYTES, excerptOf, type Excerpt, type KeptResponse } from './wire-response.ts';

/**
 * Replaces secrets in requests and responses with variables, such as `$TOKEN`, before printing. Never changes the
 * tools' own messages or the names in a document.
 */
export type Redactor = SplitSecrets & {
  /** Collects the secrets of an exchange before redaction, since a secret may occur before the place that names it. */
  readonly learn: (message: WireRequest, answer: KeptResponse | undefined) => void;
  readonly target: (target: string) => string;
  readonly header: (name: string, value: string) => string;
  /** Replaces secrets in an unnamed value. */
  readonly text: (value: string) => string;
  readonly request: (request: WireRequest) => WireRequest;
  readonly response: (response: KeptResponse) => KeptResponse;
  /** Replaces secrets in a part of a message, such as a truncated response. */
  readonly excerpt: (excerpt: Excerpt) => Excerpt;
  /** Returns the variables in a redacted request. */
  readonly variablesIn: (request: WireRequest) => readonly string[];
  /** Returns whether a name has secret values. */
  readonly isSecret: SecretNames['isSecret'];
};

export type RedactorOptions = {
  readonly document: OpenApiDocument;
  /** The URL of the service, whose path segments are not replaced. */
  readonly url?: string | undefined;
  /** The initial secrets. */
  readonly secrets: readonly Secret[];
  /** Whether requests were recorded. Generated requests contain only the initial secrets. */
  readonly isRecorded: boolean;
};

// Reports show only the first bytes, but redaction may shorten the text before them.
const REDACTED_BYTES = 2 * EXCERPT_BYTES;
// Shorter values are not searched elsewhere, since they occur by chance. Declared secrets are certain, others are
// guessed.
const DECLARED_CHARS = 4;
const GUESSED_CHARS = 8;
// Longer values are not searched elsewhere, since the search would take quadratic time.
const MAX_CHARS = 4_096;
// Each learned secret slows down every redaction; the oldest are discarded.
const MAX_LEARNED = 256;
const CHALLENGE = /^(?:basic|bearer|digest|negotiate)$/i;
// Match secrets in the query and the user information of a URL, JSON Web Tokens, private keys, and credentials with
// their scheme.
const IN_URL = /([?&#;])([\w.~%[\]-]{1,64})=([^&#;\s"'<>\\]+)/g;
const USER_IN_URL = /(:\/\/(?:[^\s/?#@:"'<>]*:)?)([^\s/?#@"'<>]+)(?=@)/g;
const PRIVATE_KEY = /(-----BEGIN [A-Z ]{0,32}PRIVATE KEY[A-Z ]{0,16}-----)((?:(?!-----END)[^])+)/g;
const CREDENTIALS = /((?:^|[^\w$])(?:bearer|basic|dpop)[ ,]+)(?=[^\s"',;]*\d)([\w.~+/-]{8,}=*)/gi;
// Match a name with its sign, and its value.
const NAME_AND_SIGN = /(?<![\w$])(["'`]?)([A-Za-z_][\w.-]{0,63})\1\s{0,9}(:=|[:=])[,\s]{0,9}/g;
const QUOTED_VALUE = /("""|["'`])([^]*?)(?:\1|$)/y;
const BARE_VALUE = /[^\s"'`,;&<>(){}[\]\\]+/y;
const JWT = /(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g;

/** Creates a redactor for the given secrets, and for values that are secret by their names or schemas. */
export function createRedactor({ document, url, secrets, isRecorded }: RedactorOptions): Redactor {
  const names = createSecretNames(document);
  const documented = literalsOf(document, url);
  // A literal segment is more specific than a parameter.
  const templates = templatesOf(document)
    .map((template) => template.map((segment) => (segment.includes('{') ? segment : fold(segment))))
    .toSorted((one, other) => literalsIn(other) - literalsIn(one));
  const learned = new Map<string, { readonly variable: string; readonly isSearched: boolean }>();
  const counts = new Map<string, number>();
  let isLearning = false;
  let search: SecretSearch | undefined;
  let searched = 0;
  // Generated requests contain only the given secrets.
  const generated = (place: NamedPlace): Replacement => ({
    isSecret: (name) => names.isSecret(place, name),
    secret: (_name, value) => searchNow().hide(value, true),
    text: (value) => searchNow().hide(value),
  });
  const sent = isRecorded ? replacementFor : generated;
  const received = replacementFor('member');
  const { isSecret } = names;
  return {
    learn,
    target,
    header,
    text,
    request,
    response,
    excerpt,
    split,
    splitHeader,
    splitTarget,
    variablesIn,
    isSecret,
  };

  function learn(message: WireRequest, answer: KeptResponse | undefined): void {
    isLearning = true;
    request(message);
    if (answer !== undefined) response(answer);
    isLearning = false;
    search = undefined;
  }

  function replacementFor(place: NamedPlace): Replacement {
    return { isSecret: (name) => names.isSecret(place, name), secret: (name, value) => hide(place, name, value), text };
  }

  function searchNow(): SecretSearch {
    if (search !== undefined && searched === secrets.length) return search;
    const found = [...learned].flatMap(([value, { variable, isSearched }]) =>
      isSearched ? [{ variable, value }] : [],
    );
    searched = secrets.length;
    return (search = createSecretSearch(secrets, found));
  }

  function hide(place: NamedPlace, name: string, value: string): string {
    // Archives from this tool already contain variables.
    if (value === '' || /^(?:true|false|null|\$[A-Z_][A-Z\d_]*)$/.test(value)) return value;
    return `$${variableOf(name, value, names.isDeclared(place, name) ? DECLARED_CHARS : GUESSED_CHARS)}`;
  }

  function variableOf(name: string, value: string, least: number): string {
    const given = secrets.find((secret) => secret.value === value);
    if (given !== undefined) return given.variable;
    const known = learned.get(value);
    if (known !== undefined) return known.variable;
    const base =
      name
        .toUpperCase()
        .replaceAll(/[^A-Z\d]+/g, '_')
        .replace(/^(?=\d)/, '_') || 'SECRET';
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    const variable = count === 1 ? base : `${base}_${String(count)}`;
    // In generated requests, curl lines have variables only for the given secrets.
    learned.set(value, { variable, isSearched: isRecorded && value.length >= least && value.length <= MAX_CHARS });
    const [oldest] = learned.keys();
    if (learned.size > MAX_LEARNED && oldest !== undefined) learned.delete(oldest);
    return variable;
  }

  function text(value: string): string {
    const query = replacementFor('query');
    const plain = value
      .replaceAll(IN_URL, (pair: string, before: string, name: string, found: string) =>
        query.isSecret(name) ? `${before}${name}=${query.secret(name, found)}` : pair,
      )
      .replaceAll(
        USER_IN_URL,
        (_pair: string, before: string, password: string) => before + hide('member', 'password', password),
      )
      .replaceAll(JWT, (token) => hide('member', 'jwt', token))
      .replaceAll(PRIVATE_KEY, (_all, before: string, key: string) => before + hide('member', 'private_key', key))
      .replaceAll(CREDENTIALS, (_all, before: string, token: string) => before + hide('header', 'token', token));
    const shown = assignments(plain);
    return isLearning ? shown : searchNow().hide(shown);
  }

  /** Replaces the values of secret names in a text: `password=x`, `token: "x"`. */
  function assignments(value: string): string {
    let shown = '';
    let at = 0;
    let next = 0; // The index after the last value: each value is read once.
    for (const { 0: start, 2: name = '', 3: sign = '', index } of value.matchAll(NAME_AND_SIGN)) {
      if (index < next || !names.isSecret('member', name)) continue;
      const end = index + start.length;
      QUOTED_VALUE.lastIndex = end;
      BARE_VALUE.lastIndex = end;
      const quoted = QUOTED_VALUE.exec(value);
      const [whole = '', quote = '', found = whole] = quoted ?? BARE_VALUE.exec(value) ?? [];
      next = end + whole.length;
      // In a sentence, such as "password: is required", a word follows the name.
      if (quoted === null && sign === ':' && !/\d/.test(found)) continue;
      shown += value.slice(at, end) + quote + hide('member', name, found) + quote;
      at = next;
    }
    return shown + value.slice(at);
  }

  function target(whole: string): string {
    const [, path = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(whole) ?? [];
    const segments = path.split('/');
    const parameters = isRecorded ? parametersIn(segments) : undefined;
    const shown = segments.map((segment, index) => {
      const name = parameters?.get(index);
      if (name !== undefined && names.isSecret('path', name)) return hide('path', name, segment);
      return documented.has(segment) ? segment : sent('path').text(segment);
    });
    if (query === undefined) return shown.join('/');
    return `${shown.join('/')}?${redactPairs(query, '&', sent('query'))}`;
  }

  /**
   * Returns the names of the path parameters by the index of their segment. A path that no operation has may contain a
   * documented path.
   */
  function parametersIn(segments: readonly string[]): ReadonlyMap<number, string | undefined> {
    const folded = segments.map(fold);
    const found = new Map<number, string | undefined>();
    for (const template of templates)
      for (let start = segments.length - template.length; start >= 0; start -= 1) {
        if (!template.every((one, index) => one.includes('{') || one === folded[start + index])) continue;
        for (const [index, segment] of template.entries())
          if (!found.has(start + index)) found.set(start + index, nameOf(segment));
      }
    return found;
  }

  function header(name: string, value: string): string {
    const lower = name.toLowerCase();
    if (lower === 'cookie') return value.split(';').map(cookie).join(';');
    if (lower === 'set-cookie') {
      const [, pair = value, attributes = ''] = /^([^;]*)(;.*)?$/s.exec(value) ?? [];
      // Some libraries join several cookies by commas.
      return cookie(pair) + attributes.replaceAll(/(?<=,\s*)[^\s=;,]+=[^;]*/g, cookie);
    }
    if (/^(?:location|content-location|referer)$/.test(lower)) return link(value);
    if (lower.endsWith('authorization')) return authorization(value);
    return names.isSecret('header', name) ? hide('header', name, value) : text(value);
  }

  function cookie(pair: string): string {
    if (pair.includes('=')) return redactPairs(pair, ';', replacementFor('cookie'));
    return pair.replace(/\S.*$/s, (value) => hide('cookie', 'cookie', value)); // A cookie without a name.
  }

  function link(url: string): string {
    const [, address = url, fragment] = /^([^#]*)(?:#(.*))?$/s.exec(url) ?? [];
    const shown = text(target(address));
    return fragment === undefined ? shown : `${shown}#${redactPairs(fragment, '&', replacementFor('query'))}`;
  }

  function authorization(value: string): string {
    const [, scheme, credentials = value] = /^(\S+) +(.+)$/s.exec(value) ?? [];
    if (CHALLENGE.test(credentials)) return value;
    const isBasic = scheme?.toLowerCase() === 'basic';
    if (isBasic) {
      const pair = Buffer.from(credentials, 'base64').toString();
      if (pair.includes(':')) variableOf('password', pair.slice(pair.indexOf(':') + 1), DECLARED_CHARS);
    }
    const variable = `$${variableOf(isBasic ? 'BASIC' : 'TOKEN', credentials, DECLARED_CHARS)}`;
    return scheme === undefined ? variable : `${scheme} ${variable}`;
  }

  function request(message: WireRequest): WireRequest {
    const { headers, body } = message;
    const rest = Buffer.alloc(Math.max(0, (body?.length ?? 0) - REDACTED_BYTES), ' ');
    const contentType = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    const show = (name: string, value: string): string =>
      isRecorded ? header(name, value) : searchNow().hide(value, isCredential(name));
    return {
      ...message,
      target: target(message.target),
      headers: headers.map(([name, value]) => [name, show(name, value)] as const),
      body: body && Buffer.concat([bytes(contentType, body.subarray(0, REDACTED_BYTES), sent('member')), rest]),
    };
  }

  function response({ headers, body, ...rest }: KeptResponse): KeptResponse {
    const contentType = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
    const shown = headers.map(([name, value]) => [name, header(name, value)] as const);
    return { ...rest, headers: shown, body: excerptOf(bytes(contentType, body.bytes, received), body.totalBytes) };
  }

  function excerpt({ bytes: part, totalBytes }: Excerpt): Excerpt {
    return { bytes: bytes('', part, received), totalBytes };
  }

  function bytes(contentType: string, content: Buffer, replacement: Replacement): Buffer {
    const encoding = isUtf8(content) ? 'utf8' : 'latin1';
    const shown = redactBody(contentType, content.toString(encoding), replacement);
    return Buffer.from(shown, encoding);
  }

  function split(value: string): ReturnType<SplitSecrets['split']> {
    return searchNow().split(value);
  }

  function splitHeader(name: string, value: string): ReturnType<SplitSecrets['split']> {
    return searchNow().split(value, isCredential(name));
  }

  function isCredential(name: string): boolean {
    const lower = name.toLowerCase();
    return lower === 'cookie' || names.isSecret('header', lower);
  }

  function splitTarget(whole: string): ReturnType<SplitSecrets['splitTarget']> {
    const [, path = '', query = ''] = /^([^?]*)(\?.*)?$/s.exec(whole) ?? [];
    const pieces = path.split(/(?<=\/)|(?=\/)/).flatMap((part) => (documented.has(part) ? [part] : split(part)));
    const pairs = [...query.matchAll(/([?&][^=&]*=?)([^&]*)/g)];
    return [
      ...pieces,
      ...pairs.flatMap(([, name = '', value = '']) => [
        name,
        ...searchNow().split(value, names.isSecret('query', name.slice(1, -1))),
      ]),
    ];
  }

  function variablesIn({ target: shown, headers, body }: WireRequest): readonly string[] {
    const all = [shown, ...headers.map(([, value]) => value), body?.toString() ?? ''].join('\n');
    const variables = [...secrets, ...learned.values()].map(({ variable }) => variable);
    return [...new Set(variables)].filter((variable) => all.includes(`$${variable}`));
  }
}

/** Returns the segments of each path of a document. */
function templatesOf({ paths = {} }: OpenApiDocument): readonly (readonly string[])[] {
  return Object.keys(Object(paths) as object).map((path) => path.split('/').slice(1));
}

/** Returns the literal segments of paths and servers. */
function literalsOf(document: OpenApiDocument, base = ''): ReadonlySet<string> {
  const { servers = [] } = document;
  const urls = (servers as readonly { readonly url?: string }[]).map(({ url = '' }) => url); // Validated document.
  const all = [...templatesOf(document).flat(), ...[base, ...urls].flatMap((url) => url.split('/'))];
  return new Set(all.filter((segment) => !segment.includes('{')));
}

/** Returns a path segment without differences of case and percent-encoding. */
function fold(segment: string): string {
  return decode(segment).toLowerCase();
}

function literalsIn(template: readonly string[]): number {
  return template.filter((segment) => !segment.includes('{')).length;
}

function nameOf(segment = ''): string | undefined {
  return /^\{([^{}]+)\}$/.exec(segment)?.[1];
}
