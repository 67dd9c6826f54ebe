import { CONTRACT, createDiffProject, type DiffProject } from './support/diff-project.ts';

const RENAMED = CONTRACT.replaceAll('tag:', 'label:');
const POLICY = '.contract.yaml';

describe('the policy of contract:diff', () => {
  let project: DiffProject;
  beforeEach(() => {
    project = createDiffProject();
    project.write('base.yaml', CONTRACT);
    project.write('openapi.yaml', RENAMED);
  });
  /** Returns `LEVEL rule place` for each finding, and the summary. */
  const summarize = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await project.diff('--base', 'base.yaml', ...args);
    const blocks = stdout.matchAll(/^(\S+) .*\n((?: {2}(?:ERR|WARN|INFO) .*\n)+)/gm);
    const findings = [...blocks].flatMap(([, place = '', lines = '']) =>
      [...lines.matchAll(/^ +(\w+) +(\S+)/gm)].map(([, level = '', rule = '']) => `${level} ${rule} ${place}`),
    );
    return { code, stderr, findings, summary: stdout.trimEnd().split('\n').at(-1) };
  };
  /** Writes the options file with a policy in its section. */
  const writePolicy = (text: string): void => {
    project.write(POLICY, `diff:\n${text.replaceAll(/^(?=.)/gm, '  ')}`);
  };
  const entry = (rule: string, rest: string): string =>
    `  - { rule: ${rule}, operation: POST /plants, reason: No client reads it., ${rest} }\n`;

  test('accepts findings by rule, operation and pointer until a date, and reports unused entries', async () => {
    const property = '/components/schemas/Plant/properties';
    writePolicy(
      [
        'ignore:\n',
        entry('request-property-removed', `pointer: ${property}/tag, until: 2100-01-01`),
        entry('response-optional-property-removed', 'until: 2020-12-31'),
        entry('new-optional-request-property', `pointer: ${property}/other, until: 2100-01-01`),
        '  - { rule: api-version-not-bumped, reason: Unreleased., until: 2100-01-01 }\n',
      ].join(''),
    );
    expect(await summarize()).toEqual({
      code: 0,
      stderr: '',
      findings: [
        'WARN ignore-entry-expired .contract.yaml:4',
        'WARN ignore-entry-unused .contract.yaml:5',
        'WARN response-optional-property-removed base.yaml:30',
        'INFO new-optional-request-property openapi.yaml:30',
        'INFO response-optional-property-added openapi.yaml:30',
      ],
      summary: '0 errors, 3 warnings, 1 note in 1 operation, 2 ignored',
    });
  });

  test('accepts the findings of all operations at a pointer, without an operation', async () => {
    const pointer = '/components/schemas/Plant/properties/tag';
    const given = (rule: string) => `  - { rule: ${rule}, pointer: ${pointer}, reason: Unused., until: 2100-01-01 }\n`;
    const rules = ['request-property-removed', 'response-optional-property-removed'];
    writePolicy(`ignore:\n${rules.map(given).join('')}`);
    expect(await summarize()).toMatchObject({
      stderr: '',
      summary: '0 errors, 0 warnings, 2 notes in 1 operation, 1 ignored',
    });
  });

  test('changes levels, including the levels of policy rules', async () => {
    writePolicy(
      [
        'levels:\n  request-property-removed: ERR\n  response-optional-property-removed: INFO\n',
        '  ignore-entry-unused: INFO\n  api-version-not-bumped: WARN\n',
        `ignore:\n${entry('request-body-removed', 'until: 2100-01-01')}`,
      ].join(''),
    );
    expect(await summarize()).toMatchObject({
      code: 1,
      findings: [
        'ERR request-property-removed base.yaml:30',
        'INFO response-optional-property-removed base.yaml:30',
        'WARN api-version-not-bumped openapi.yaml:5',
        'INFO ignore-entry-unused .contract.yaml:8',
        'INFO new-optional-request-property openapi.yaml:30',
        'INFO response-optional-property-added openapi.yaml:30',
      ],
    });
  });

  test('--fail-on selects the failing levels', async () => {
    expect(await summarize()).toMatchObject({ code: 0 });
    expect(await summarize('--fail-on', 'WARN')).toMatchObject({ code: 1 });
    project.write(
      'openapi.yaml',
      CONTRACT.replace('version: 1.0.0', 'version: 1.1.0').replace('operationId: createPlant', ''),
    );
    expect(await summarize('--fail-on', 'WARN')).toMatchObject({ code: 0 });
    expect(await summarize('--fail-on', 'INFO')).toMatchObject({ code: 1 });
  });

  test('lists all its problems with line numbers', async () => {
    writePolicy(
      `ignore:
  - rule: no-such-rule
    reason: ' '
    until: 2026-02-30
  - { rule: webhook-removed }
levels:
  webhook-removed: error
  other: INFO
`,
    );
    const { code, stdout, stderr } = await project.diff('--base', 'base.yaml');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.replace('contract-first diff: ', '').trimEnd().split('\n').sort()).toEqual([
      `${POLICY}:3:13 /diff/ignore/0/rule must be a rule; see --rules`,
      `${POLICY}:4:15 /diff/ignore/0/reason must not be empty`,
      `${POLICY}:5:14 /diff/ignore/0/until must be a date, such as 2026-12-31`,
      `${POLICY}:6:7 /diff/ignore/1 must have required property 'reason'`,
      `${POLICY}:6:7 /diff/ignore/1 must have required property 'until'`,
      `${POLICY}:8:22 /diff/levels/webhook-removed must be one of ERR, WARN, INFO`,
      `${POLICY}:8:5 /diff/levels has the unknown rule other; see --rules`,
    ]);
  });

  test.each([
    ['no YAML', POLICY, 'ignore: [', /^contract-first diff: \.contract\.yaml:\d+:\d+ .+\n$/],
    ['no mapping', POLICY, 'diff: [a]', /^contract-first diff: \.contract\.yaml:1:1 diff must be a map\n$/],
    [
      'an unknown option',
      POLICY,
      'diff: { ignores: [] }',
      /^contract-first diff: \.contract\.yaml:1:9 ignores is not an/,
    ],
    ['a former file', '.contract-diff.yaml', 'ignore: []', /^contract-first diff: \.contract-diff\.yaml is not read: /],
  ])('is rejected if it is %s', async (_name, file, text, message) => {
    project.write(file, text);
    const { code, stderr } = await project.diff('--base', 'base.yaml');
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('may be missing in the options file of other commands, and may have options beside it', async () => {
    project.write(POLICY, 'runs: 7\n');
    expect(await summarize()).toMatchObject({ code: 0, stderr: '' });
    project.write(POLICY, 'runs: 7\ndiff: { fail-on: WARN }\n');
    expect(await summarize()).toMatchObject({ code: 1, stderr: '' });
    expect(await summarize('--fail-on', 'ERR')).toMatchObject({ code: 0, stderr: '' });
  });
});

const breaking = CONTRACT.replace('required: [name]', 'required: [name, tag]');
const compatible = CONTRACT.replace('operationId: createPlant', 'operationId: addPlant');

test.each<readonly [string, string, string, string, string | undefined]>([
  ['the same, although clients break', breaking, '1.2.3', '1.2.3', 'api-version-not-bumped'],
  ['the same, although something changed', compatible, '1.2.3', '1.2.3', 'api-version-not-bumped'],
  ['lower', compatible, '1.2.3', '1.2.2', 'api-version-decreased'],
  ['a new minor one, although clients break', breaking, '1.2.3', '1.3.0', 'api-major-version-not-bumped'],
  ['a new major one', breaking, '1.2.3', '2.0.0-rc.1', undefined],
  ['a new patch below 1.0.0, although clients break', breaking, '0.1.2', '0.1.3', 'api-major-version-not-bumped'],
  ['a new minor one below 1.0.0', breaking, '0.1.2', '0.2.0', undefined],
  ['new, for a compatible change', compatible, '1.2.3', '1.2.4', undefined],
  ['lower, but nothing changed', CONTRACT, '1.2.3', '1.0.0', undefined],
  ['no semantic one', breaking, '2026-01', '2026-01', undefined],
])('the version is %s', async (_name, document, before, after, rule) => {
  const project = createDiffProject();
  project.write('base.yaml', CONTRACT.replace('version: 1.0.0', `version: '${before}'`));
  project.write('openapi.yaml', document.replace('version: 1.0.0', `version: '${after}'`));
  const { stdout } = await project.diff('--base', 'base.yaml', '--json');
  const found = JSON.parse(stdout) as readonly { pointer: string }[]; // The output is an array of changes.
  const ofVersion = found.filter(({ pointer }) => pointer === '/info/version');
  const findings = [expect.objectContaining({ rule, level: 'INFO' })];
  expect(ofVersion).toEqual(
    rule === undefined ? [] : [expect.objectContaining({ findings, side: 'revision', line: 5 })],
  );
});
