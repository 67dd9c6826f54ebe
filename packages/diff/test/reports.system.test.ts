import { RULES } from '../src/rules/rules.ts';
import { CONTRACT, createDiffProject, type DiffProject } from './support/diff-project.ts';

type SarifRun = {
  readonly tool: { readonly driver: { readonly rules: readonly object[] } };
  readonly results: readonly { readonly ruleId: string; readonly level: string }[];
};
type SarifLog = { readonly version: string; readonly runs: readonly SarifRun[] };

const NO_RUN: SarifRun = { tool: { driver: { rules: [] } }, results: [] };
const RENAMED = CONTRACT.replaceAll('tag:', 'label:').replace('version: 1.0.0', 'version: 1.1.0');

describe('contract:diff reports', () => {
  let project: DiffProject;
  beforeEach(async () => {
    project = createDiffProject();
    await project.git('init', '--quiet');
    await project.commit('first');
    project.write('openapi.yaml', RENAMED.replace('required: [name]', 'required: [name, label]'));
  });
  const format = async (name: string, base = 'HEAD'): Promise<string> => {
    const { code, stdout, stderr } = await project.diff(base, 'openapi.yaml', '--format', name);
    expect({ code, stderr }).toEqual({ code: base === 'HEAD' ? 1 : 0, stderr: '' });
    return stdout;
  };

  test('as GitHub annotations', async () => {
    expect((await format('github')).split('\n')).toEqual([
      '::error file=openapi.yaml,line=30,col=9,title=new-required-request-property::POST /plants: request body: property label was added, required%0Aresponse 200 body: property label was added%0Adocs/rules/request-bodies.md',
      '::warning file=openapi.yaml,line=30,col=9,title=request-property-removed::POST /plants: request body: property tag was removed%0Aresponse 200 body: property tag was removed (HEAD:openapi.yaml:30)%0Adocs/rules/request-bodies.md%0Adocs/rules/responses.md',
      '::notice file=openapi.yaml,line=5,col=3,title=api-major-version-not-bumped::the document breaks clients, but from 1.0.0 to 1.1.0 the major version is the same',
      '1 error, 1 warning, 1 note in 1 operation',
      '',
    ]);
    project.write('a,b.yaml', RENAMED.replace('label:', '"100%\\n":'));
    const { stdout } = await project.diff('--base', 'HEAD', '--revision', 'a,b.yaml', '--format', 'github');
    expect(stdout).toContain('::notice file=a%2Cb.yaml,line=30,col=9,title=new-optional-request-property::');
    expect(stdout).toContain('property 100%25%0A was added');
  });

  test('as up to ten GitHub annotations, and other changes as text in which no name begins a line', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `'"p${String(index)}\\n::error::": {}'`);
    const properties = names.map((name) => `        ${name.slice(1, -1)}\n`).join('');
    project.write('openapi.yaml', RENAMED.replace(/^ +label:/m, `${properties}        label:`));
    const { stdout } = await project.diff('--base', 'HEAD', '--format', 'github');
    expect(stdout.match(/^::/gm)).toHaveLength(10);
    expect(stdout).toMatch(/^openapi\.yaml:\d+ \S+p\d+ ::error::\n {2}INFO {2}new-optional-request-property /m);
    expect(stdout).toContain('0 errors, 1 warning, 13 notes in 1 operation\n');
  });

  test('as JUnit test cases, with failures by level', async () => {
    const report = await format('junit');
    expect(report).toContain('<testsuite name="contract:diff" tests="3" failures="1">');
    expect(report).toContain(
      '<testcase classname="POST /plants" name="/components/schemas/Plant/properties/label: request body: property label was added, required" file="openapi.yaml" line="30"><failure type="ERR" message="request body: property label was added, required">',
    );
    expect(report.match(/<system-out>/g)).toHaveLength(2);
    project.write('other.yaml', RENAMED.replace('label:', '"<&>\\0\\"":'));
    const { stdout } = await project.diff('--base', 'HEAD', '--revision', 'other.yaml', '--format', 'junit');
    expect(stdout).toContain('property &#60;&#38;&#62;\ufffd&#34; was added');
  });

  test('as SARIF, with the pages of the rules', async () => {
    const { version, runs } = JSON.parse(await format('sarif')) as SarifLog;
    const [{ tool, results } = NO_RUN] = runs;
    expect(version).toBe('2.1.0');
    expect(tool.driver.rules[0]).toEqual({
      id: 'new-required-request-property',
      shortDescription: { text: 'a required property was added' },
      help: { text: 'a required property was added: docs/rules/request-bodies.md' },
    });
    expect(results.map(({ ruleId, level }) => [ruleId, level])).toContainEqual(['request-property-removed', 'warning']);
    expect(results[0]).toMatchObject({
      message: { text: 'POST /plants: request body: property label was added, required' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'openapi.yaml' },
            region: { startLine: 30, startColumn: 9 },
          },
        },
      ],
    });
  });

  test('as a Markdown table', async () => {
    const [summary, , head, , first] = (await format('markdown')).split('\n');
    expect(summary).toBe('**1 error, 1 warning, 1 note in 1 operation**');
    expect(head).toMatch(/^\| Level \| Change +\| Place +\| Operations +\|$/);
    expect(first).toMatch(
      /^\| ERR {3}\| request body: property label was added, required \(`new-required-request-property`\)<br>response 200 body: .* \| openapi.yaml:30 +\| POST \/plants +\|$/,
    );
    project.write('openapi.yaml', RENAMED.replace('label:', '"a|b_c":'));
    const { stdout } = await project.diff('--base', 'HEAD', '--format', 'markdown');
    expect(stdout).toContain('property a\\|b\\_c was added');
    expect(await format('markdown', 'openapi.yaml')).toBe('**0 errors, 0 warnings, 0 notes**\n');
  });

  test('as a changelog, breaking operations first', async () => {
    expect(await format('changelog')).toBe(`# Changes from 1.0.0 to 1.1.0

## POST /plants

- **Breaking.** Request body: property label was added, required.
- Response 200 body: property label was added.
- **May break.** Request body: property tag was removed.
- **May break.** Response 200 body: property tag was removed.
`);
    project.write('openapi.yaml', CONTRACT.replace('/plants:', '/flowers:').replace('createPlant', 'createFlower'));
    expect((await project.diff('--base', 'HEAD', '--changelog')).stdout).toBe(`# Changes of 1.0.0

## POST /plants

- **Breaking.** Operation was removed without deprecation.

## POST /flowers

- Operation was added.
`);
    expect(await format('changelog', 'openapi.yaml')).toBe('# Changes of 1.0.0\n\nNothing changes for clients.\n');
  });

  test('valid and invalid options', async () => {
    const { code, stdout } = await project.diff('--help');
    const options = ['base', 'revision', 'fail-on', 'format', 'json', 'changelog', 'rules', 'help'];
    expect({ code, options: [...stdout.matchAll(/--([a-z-]+)(?= {2}| <|,)/g)].map(([, name]) => name) }).toEqual({
      code: 0,
      options: expect.arrayContaining(options),
    });
    for (const [args, message] of [
      [['--format', 'xml'], '--format must be one of text, json, markdown, changelog, github, junit, sarif'],
      [['--fail-on', 'error'], '--fail-on must be one of ERR, WARN, INFO'],
      [['--json', '--changelog'], 'only one of --format, --json and --changelog is possible'],
    ] as const) {
      const stderr = `contract-first diff: ${message}\n`;
      expect(await project.diff('--base', 'HEAD', ...args)).toEqual({ code: 2, stdout: '', stderr });
    }
  });
});

test('contract:diff --rules lists each rule with its levels, and the reason for differences from oasdiff', async () => {
  const { code, stdout } = await createDiffProject().diff('--rules');
  const lines = stdout.trimEnd().split('\n');
  expect({ code, names: lines.map((line) => line.split(' ')[0]) }).toEqual({ code: 0, names: [...RULES.keys()] });
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^request-property-max-set +ERR +a property of a request body: maximum was set \(WARN in oasdiff: a new limit rejects .+\)$/,
    ),
  );
});
