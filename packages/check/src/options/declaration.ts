import {
  ALLOW_REFS_OPTION,
  type CommandDeclaration,
  CONFIG,
  type OptionDeclaration,
  PORT,
  QUIET,
  TLS_OPTIONS,
} from '@contract-first/command-line/options';
import { CORRECTIONS } from '@contract-first/model/resources';
import { CHECK_TEXTS } from '../judgement/check-texts.ts';
import { CHECK_NAMES, PROFILES } from '../judgement/checks.ts';
import { REPORT_KINDS } from '../reports/open-reports.ts';
import { DEFAULT_RUNS } from '../run/contract-options.ts';
import { SIGN_IN } from '../run/sign-in.ts';

const NAME_WIDTH = Math.max(...CHECK_NAMES.map((name) => name.length));
const CHECK_CHOICES = [...Object.keys(PROFILES), ...CHECK_NAMES];

const option = (
  name: string,
  kind: OptionDeclaration['kind'],
  text: string,
  more: Partial<OptionDeclaration> = {},
): OptionDeclaration => ({ name, kind, text, ...more });

const DOCUMENT = option('document', 'text', 'the document: a file, or a URL of this machine', { where: 'file' });
const URL = option(
  'url',
  'text',
  'the URL of the running service; its path, such as / or /v1, replaces the base path of the document; without a path, the base path is used',
  { value: 'URL' },
);

const OF_BOTH: readonly OptionDeclaration[] = [
  { ...ALLOW_REFS_OPTION },
  option(
    'operation',
    'list',
    "only the operation of this operationId, path, or method and path, such as 'GET /items/*'",
    {
      value: 'NAME',
      group: 'Selection',
    },
  ),
  option('tag', 'list', 'only the operations with this tag', { value: 'TAG', group: 'Selection' }),
  option(
    'exclude',
    'list',
    "leave out the operations of this name, method or tag, or all that are deprecated, such as 'DELETE' or 'deprecated'",
    { value: 'NAME', group: 'Selection' },
  ),
  option('checks', 'list', 'run these checks only: their names, or default, strict or protocol', {
    value: 'A,B',
    group: 'Selection',
    choices: CHECK_CHOICES,
  }),
  option('exclude-checks', 'list', 'do not run these checks', {
    value: 'A,B',
    group: 'Selection',
    choices: CHECK_CHOICES,
  }),
  ...TLS_OPTIONS,
  option('max-response-time', 'text', 'a response that takes longer, in milliseconds, fails', {
    value: 'N',
    group: 'Selection',
  }),
];

const RESULT: readonly OptionDeclaration[] = [
  option('allow-incomplete', 'flag', 'exit 0 even if a part could not be checked'),
  option('baseline', 'text', 'accept the failures in this file: only new ones count', { value: 'FILE' }),
  option('update-baseline', 'flag', 'write that file, with the failures of this run', { where: 'line' }),
  option(
    'report',
    'list',
    `write a report, or print it if FILE is "-": ${REPORT_KINDS.join(', ')}; "coverage" alone prints the coverage of each operation`,
    {
      value: 'KIND:FILE',
      choices: ['coverage', ...REPORT_KINDS.map((kind) => `${kind}:`)],
    },
  ),
  option('json', 'flag', 'print the result as JSON: short for --report json:-', { where: 'line' }),
  { ...QUIET, where: 'line' as const },
  CONFIG,
].map((one) => ({ ...one, group: 'Result' }));

/** The command `check`. The options file has the same options at its top level. */
export const CHECK: CommandDeclaration = {
  name: 'check',
  description:
    'Checks a running service against its OpenAPI document, a file or a URL of this machine, by default generated/openapi.json. Without --url, it starts src/main.ts on a temporary SQLite database. It creates, changes and deletes data: never check a server in production.',
  arguments: [{ name: 'document' }],
  options: [
    URL,
    DOCUMENT,
    option(
      'har',
      'list',
      'send nothing, but judge the requests and responses of an HTTP archive; --url selects the requests to one server',
      {
        value: 'FILE',
        where: 'line',
      },
    ),
    ...[
      option(
        'token',
        'text',
        'a bearer token, an API key, a password or user:password (default: the environment variable CONTRACT_TOKEN, or a random one without --url, which the service gets as API_TOKENS)',
        { value: 'TOKEN' },
      ),
      option(
        'credential',
        'pairs',
        'a credential for one security scheme of the document; a second credential for the scheme is for the second user',
        { value: 'NAME=TEXT' },
      ),
      option('token-command', 'text', 'a command that prints the token, also when a token has expired', {
        isCode: true,
      }),
      option('client', 'text', "get tokens from the tokenUrl of the document's clientCredentials flow", {
        value: 'ID:SECRET',
      }),
      option(
        'other-token',
        'text',
        'credentials of a second user, who must not read, change, list or delete resources of the first one (default: the environment variable CONTRACT_OTHER_TOKEN)',
        { value: 'TOKEN' },
      ),
      option(
        'shared',
        'list',
        "an operation that every user may use on every resource: an operationId, a path, or method and path, such as 'GET /items*'",
        { value: 'NAME' },
      ),
    ].map((one) => ({ ...one, group: 'Credentials' })),
    ...OF_BOTH,
    option(
      'max-response-size',
      'text',
      'a response that is longer, in bytes, is cut off and fails (default: 16777216)',
      { value: 'N', group: 'Selection' },
    ),
    ...[
      option('header', 'list', 'a header of every request', { value: "'NAME: TEXT'" }),
      option('expect', 'list', 'more statuses that valid data may get, from one operation or from all', {
        value: '[NAME:]N,N',
      }),
      option(
        'value',
        'list',
        'a value that the server knows, such as an id, for the parameters and the members of bodies named N, such as user.email, of an operation or of all',
        { value: '[NAME:]N=TEXT' },
      ),
      option(
        'hooks',
        'text',
        'a module whose functions change requests, check responses, give values, or set up the server',
        { value: 'FILE', isCode: true },
      ),
      option('runs', 'text', `generated requests of each kind for each operation (default: ${String(DEFAULT_RUNS)})`, {
        value: 'N',
      }),
      option('seed', 'text', 'seed of the generator, to repeat a run', { value: 'N' }),
      option('workers', 'text', 'operations to check at the same time (default: 1)', { value: 'N' }),
      option('rate', 'text', 'requests in a second at most, of all workers together; such as 20 or 0.5', {
        value: 'N',
      }),
      option(
        'budget',
        'text',
        'the time for all operations (default: 20, and 1 more for each operation; with --rate N, the time of 1000 requests more for each)',
        { value: 'SECONDS' },
      ),
    ].map((one) => ({ ...one, group: 'Requests' })),
    CORRECTIONS,
    SIGN_IN,
    ...RESULT,
  ],
  notes: [
    '${NAME} in credentials, a header or a value is the environment variable NAME, which is not printed. The minimum of an\noperation is all its systematic requests and a tenth of --runs of each kind. A run with less exits with 2, also if less\nthan half of the operations were ever successful. .contract.yaml has the same options, such as "runs: 50"; a\nrepeatable option may be a list.',
    `Without --checks, findings about the protocol have one line each; with them, their evidence, too.\nChecks: "default" are all but ${CHECK_NAMES.filter((name) => !PROFILES.default.includes(name)).join(', ')}; "strict" are all; "protocol" are\n${PROFILES.protocol.join(', ')}.\nA check fails if\n${CHECK_NAMES.map((name) => `  ${name.padEnd(NAME_WIDTH)}  ${CHECK_TEXTS[name].meaning}`).join('\n')}`,
  ],
  examples: [
    ['contract-first check openapi.yaml --url http://127.0.0.1:8080 --token secret', 'Check a running service'],
    [
      "contract-first check openapi.yaml --url http://127.0.0.1:8080 --operation 'GET /items/*'",
      'Check some operations',
    ],
    ['contract-first check openapi.yaml --har recorded.har', 'Judge recorded traffic'],
    [
      'contract-first check openapi.yaml --url http://127.0.0.1:8080 --report junit:report.xml',
      'Write a report for CI',
    ],
  ],
};

/** The command `proxy`. */
export const PROXY: CommandDeclaration = {
  name: 'proxy',
  description:
    'Forwards requests to a running service and responses to its clients, unchanged, and judges them by the OpenAPI document, a file or a URL of this machine, by default generated/openapi.json. It listens on 127.0.0.1, and ends by SIGINT or SIGTERM, or with the command, which gets the URL of the proxy in CONTRACT_PROXY_URL.',
  arguments: [{ name: 'document' }],
  options: [
    URL,
    { ...PORT, text: 'the port of the proxy (default: a free one)', where: 'line' },
    option('har', 'list', 'write the requests and responses of documented operations to an HTTP archive', {
      value: 'FILE',
      where: 'line',
    }),
    DOCUMENT,
    ...OF_BOTH,
    ...RESULT,
  ],
  rest: 'command',
  notes: [
    'Exits with the code of the command if it fails, and with 2 if no request was judged. contract-first check\n--help describes the sets of checks and the baseline.',
  ],
  examples: [
    ['contract-first proxy openapi.yaml --url http://127.0.0.1:8080 -- npm test', 'Judge the traffic of tests'],
    ['contract-first proxy openapi.yaml --url http://127.0.0.1:8080 --port 9000', 'Judge until Ctrl+C'],
  ],
};
