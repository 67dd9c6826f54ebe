import { keywordsWhere, SCHEMA_KEYWORDS } from '@contract-first/contract';
import { METHODS } from './document.ts';

/** The kinds of OpenAPI objects. */
export type Kind =
  | ('document' | 'info' | 'contact' | 'license' | 'server' | 'serverVariable' | 'tag' | 'externalDocs')
  | ('components' | 'pathItem' | 'operation' | 'callback' | 'parameter' | 'header' | 'requestBody' | 'response')
  | ('mediaType' | 'encoding' | 'example' | 'link' | 'schema' | 'discriminator' | 'xml')
  | ('securityScheme' | 'flows' | 'implicit' | 'password' | 'clientCredentials' | 'authorizationCode')
  | 'deviceAuthorization';

/** A version of OpenAPI: 0 for 3.0. */
export type Version = 0 | 1 | 2;

/** The value of a member that is no object of a kind. A list has the allowed values. */
type Scalar =
  | ('any' | 'string' | 'boolean' | 'number' | 'positive' | 'count' | 'exclusive' | 'type')
  | ('list' | 'strings' | 'map' | 'stringMap' | 'stringsMap')
  | readonly string[];

/** The value of a member: an object, list of objects or map of objects of a kind, or a scalar or data. */
export type Member = {
  readonly holds?: 'one' | 'list' | 'map';
  readonly kind?: Kind;
  readonly scalar?: Scalar;
  /** The allowed values that OpenAPI has since 3.2. */
  readonly newValues?: readonly string[];
  /** Matches the names that a map may contain. Other names are mistakes, except extensions. */
  readonly names?: RegExp;
  /** The first version with the member. */
  readonly since?: Version;
  /** The last version with the member. */
  readonly until?: Version;
};

type Members = Readonly<Record<string, Member>>;

/** Describes a kind of object. */
type ObjectType = {
  /** The name of the object in messages, with its article. */
  readonly name: string;
  readonly members: Members;
  readonly required?: readonly string[];
  /** The members of which one is required. */
  readonly oneOf?: readonly string[];
  /** Whether a `$ref` may be in place of the object. */
  readonly isReferable?: true;
};

const of =
  (scalar: Scalar) =>
  (...names: readonly string[]): Members =>
    Object.fromEntries(names.map((name) => [name, { scalar }]));
const any = of('any');
const strings = of('string');
const booleans = of('boolean');
const one = (kind: Kind): Member => ({ holds: 'one', kind });
const list = (kind: Kind): Member => ({ holds: 'list', kind });
const map = (kind: Kind, names?: RegExp): Member => ({ holds: 'map', kind, ...(names && { names }) });
const since = (version: Version, members: Members): Members =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, { ...member, since: version }]));
const until = (version: Version, members: Members): Members =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, { ...member, until: version }]));

const servers = { servers: list('server') };
const externalDocs = { externalDocs: one('externalDocs') };
const security: Members = { security: { holds: 'list', scalar: 'stringsMap' } };
const examples: Members = { ...any('example'), examples: map('example') };
const positions: Members = since(2, { prefixEncoding: list('encoding'), itemEncoding: one('encoding') });
const styles = ['form', 'simple', 'label', 'matrix', 'spaceDelimited', 'pipeDelimited', 'deepObject'];
const serialization: Members = {
  style: { scalar: styles, newValues: ['cookie'] },
  ...booleans('explode', 'allowReserved'),
};
const value: Members = {
  ...strings('description'),
  ...booleans('required', 'deprecated', 'allowEmptyValue'),
  ...serialization,
  schema: one('schema'),
  content: map('mediaType'),
  ...examples,
};
const flow = (name: string, ...required: readonly string[]): ObjectType => ({
  name: `an ${name} flow`,
  members: { ...strings('refreshUrl', ...required), ...of('map')('scopes') },
  required: [...required, 'scopes'],
});

/** The keywords of schemas with other values than schemas. */
const KEYWORDS: Members = {
  ...strings('title', 'description', 'format', 'pattern'),
  ...of('positive')('multipleOf'),
  ...of('number')('maximum', 'minimum'),
  ...of('exclusive')('exclusiveMaximum', 'exclusiveMinimum'),
  ...of('count')('maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'),
  ...booleans('uniqueItems', 'readOnly', 'writeOnly', 'deprecated'),
  ...of('strings')('required'),
  ...of('list')('enum'),
  ...of('type')('type'),
  ...any('default', 'example'),
  ...until(0, booleans('nullable')),
  ...since(1, {
    ...of('count')('minContains', 'maxContains'),
    ...of('stringsMap')('dependentRequired'),
    ...strings('$schema', '$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$comment'),
    ...strings('contentEncoding', 'contentMediaType'),
    ...any('const', 'examples', '$vocabulary', 'summary', 'id'),
  }),
  discriminator: one('discriminator'),
  xml: one('xml'),
  ...externalDocs,
};
const IN_VERSION_30 = ['allOf', 'anyOf', 'oneOf', 'not', 'properties', 'items', 'additionalProperties'];
const isSchema = (keyword: string): Member => ({ ...SCHEMA_KEYWORDS[keyword], kind: 'schema' });
const APPLICATORS: Members = Object.fromEntries(
  keywordsWhere(() => true).map((keyword) => [
    keyword,
    { ...isSchema(keyword), ...(!IN_VERSION_30.includes(keyword) && { since: 1 as const }) },
  ]),
);

/** The objects of OpenAPI 3.0 to 3.2, with their members. The single source for all code that traverses a document. */
export const OBJECTS: Readonly<Record<Kind, ObjectType>> = {
  document: {
    name: 'an OpenAPI document',
    members: {
      ...strings('openapi'),
      info: one('info'),
      ...servers,
      ...security,
      tags: list('tag'),
      ...externalDocs,
      paths: map('pathItem', /^\//),
      ...since(1, { webhooks: map('pathItem'), ...strings('jsonSchemaDialect') }),
      ...since(2, strings('$self')),
      components: one('components'),
    },
    required: ['openapi', 'info'],
    oneOf: ['paths', 'components', 'webhooks'],
  },
  info: {
    name: 'info',
    members: {
      ...strings('title', 'version', 'description', 'termsOfService'),
      ...since(1, strings('summary')),
      contact: one('contact'),
      license: one('license'),
    },
    required: ['title', 'version'],
  },
  contact: { name: 'a contact', members: strings('name', 'url', 'email') },
  license: {
    name: 'a license',
    members: { ...strings('name', 'url'), ...since(1, strings('identifier')) },
    required: ['name'],
  },
  server: {
    name: 'a server',
    members: { ...strings('url', 'description'), ...since(2, strings('name')), variables: map('serverVariable') },
    required: ['url'],
  },
  serverVariable: {
    name: 'a server variable',
    members: { ...of('strings')('enum'), ...strings('default', 'description') },
    required: ['default'],
  },
  tag: {
    name: 'a tag',
    members: { ...strings('name', 'description'), ...since(2, strings('summary', 'parent', 'kind')), ...externalDocs },
    required: ['name'],
  },
  externalDocs: { name: 'externalDocs', members: strings('url', 'description'), required: ['url'] },
  components: {
    name: 'components',
    members: {
      schemas: map('schema'),
      responses: map('response'),
      parameters: map('parameter'),
      headers: map('header'),
      requestBodies: map('requestBody'),
      callbacks: map('callback'),
      ...since(1, { pathItems: map('pathItem') }),
      ...since(2, { mediaTypes: map('mediaType') }),
      examples: map('example'),
      links: map('link'),
      securitySchemes: map('securityScheme'),
    },
  },
  pathItem: {
    name: 'a path item',
    members: {
      ...strings('$ref', 'summary', 'description'),
      ...Object.fromEntries(METHODS.map((method) => [method, one('operation')])),
      ...since(2, { query: one('operation'), additionalOperations: map('operation') }),
      ...servers,
      parameters: list('parameter'),
    },
    isReferable: true,
  },
  operation: {
    name: 'an operation',
    members: {
      ...of('strings')('tags'),
      ...strings('summary', 'description', 'operationId'),
      ...externalDocs,
      ...booleans('deprecated'),
      ...security,
      ...servers,
      parameters: list('parameter'),
      requestBody: one('requestBody'),
      responses: map('response', /^(?:default|\d[\dXx]{2})$/),
      callbacks: map('callback'),
    },
  },
  callback: { name: 'a callback', members: {}, isReferable: true }, // Every member is a path item.
  parameter: {
    name: 'a parameter',
    members: {
      ...strings('name'),
      in: { scalar: ['query', 'header', 'path', 'cookie'], newValues: ['querystring'] },
      ...value,
    },
    required: ['name', 'in'],
    oneOf: ['schema', 'content'],
    isReferable: true,
  },
  header: { name: 'a header', members: value, oneOf: ['schema', 'content'], isReferable: true },
  requestBody: {
    name: 'a request body',
    members: { ...strings('description'), ...booleans('required'), content: map('mediaType') },
    required: ['content'],
    isReferable: true,
  },
  response: {
    name: 'a response',
    members: {
      ...strings('description'),
      ...since(2, strings('summary')),
      headers: map('header'),
      content: map('mediaType'),
      links: map('link'),
    },
    isReferable: true,
  },
  mediaType: {
    name: 'a media type',
    members: {
      schema: one('schema'),
      ...since(2, { ...strings('description'), itemSchema: one('schema') }),
      encoding: map('encoding'),
      ...positions,
      ...examples,
    },
    isReferable: true,
  },
  encoding: {
    name: 'an encoding',
    members: {
      ...strings('contentType'),
      headers: map('header'),
      ...serialization,
      ...since(2, { encoding: map('encoding') }),
      ...positions,
    },
  },
  example: {
    name: 'an example',
    members: {
      ...any('value'),
      ...strings('summary', 'description', 'externalValue'),
      ...since(2, { ...any('dataValue'), ...strings('serializedValue') }),
    },
    isReferable: true,
  },
  link: {
    name: 'a link',
    members: {
      ...strings('operationRef', 'operationId', 'description'),
      ...any('parameters', 'requestBody'),
      server: one('server'),
    },
    isReferable: true,
  },
  schema: { name: 'a schema', members: { ...APPLICATORS, ...KEYWORDS }, isReferable: true },
  discriminator: {
    name: 'a discriminator',
    members: { ...strings('propertyName'), ...of('stringMap')('mapping'), ...since(2, strings('defaultMapping')) },
    required: ['propertyName'],
  },
  xml: {
    name: 'xml',
    members: {
      ...strings('name', 'namespace', 'prefix'),
      ...booleans('attribute', 'wrapped'),
      ...since(2, of(['element', 'attribute', 'text', 'cdata', 'none'])('nodeType')),
    },
  },
  securityScheme: {
    name: 'a security scheme',
    members: {
      ...of(['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS'])('type'),
      ...of(['query', 'header', 'cookie'])('in'),
      ...strings('description', 'name', 'scheme', 'bearerFormat', 'openIdConnectUrl'),
      flows: one('flows'),
      ...since(2, { ...booleans('deprecated'), ...strings('oauth2MetadataUrl') }),
    },
    required: ['type'],
    isReferable: true,
  },
  flows: {
    name: 'flows',
    members: {
      implicit: one('implicit'),
      password: one('password'),
      clientCredentials: one('clientCredentials'),
      authorizationCode: one('authorizationCode'),
      ...since(2, { deviceAuthorization: one('deviceAuthorization') }),
    },
  },
  implicit: flow('implicit', 'authorizationUrl'),
  password: flow('password', 'tokenUrl'),
  clientCredentials: flow('clientCredentials', 'tokenUrl'),
  authorizationCode: flow('authorizationCode', 'authorizationUrl', 'tokenUrl'),
  deviceAuthorization: flow('deviceAuthorization', 'deviceAuthorizationUrl', 'tokenUrl'),
};
