/** A test case, which passes if `failure` is absent. */
export type JunitCase = {
  /** The attributes in order: `name`, `classname` and others. */
  readonly attributes: Attributes;
  readonly failure?: { readonly type: string; readonly message: string; readonly text: string } | undefined;
  /** The output of a passing case. */
  readonly output?: string;
};

export type JunitSuite = {
  readonly name: string;
  readonly cases: readonly JunitCase[];
  readonly seconds?: number;
};

type Attributes = Readonly<Record<string, string | number>>;

/** Formats test suites as JUnit XML with a trailing line feed. */
export function formatJunit(name: string, suites: readonly JunitSuite[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${formatAttributes({ name, ...countsOf(suites.flatMap(({ cases }) => cases)) })}>`,
    ...suites.flatMap(formatSuite),
    '</testsuites>',
    '',
  ].join('\n');
}

function formatSuite({ name, cases, seconds }: JunitSuite): readonly string[] {
  const time = seconds === undefined ? {} : { time: seconds.toFixed(3) };
  return [
    `  <testsuite${formatAttributes({ name, ...countsOf(cases), ...time })}>`,
    ...cases.map(formatCase),
    '  </testsuite>',
  ];
}

function countsOf(cases: readonly JunitCase[]): Attributes {
  return { tests: cases.length, failures: cases.filter(({ failure }) => failure !== undefined).length };
}

function formatCase({ attributes, failure, output }: JunitCase): string {
  const opening = `    <testcase${formatAttributes(attributes)}`;
  if (failure === undefined && output === undefined) return `${opening}/>`;
  if (failure === undefined) return `${opening}><system-out>${escape(output ?? '')}</system-out></testcase>`;
  const { text, ...about } = failure;
  return `${opening}><failure${formatAttributes(about)}>${escape(text)}</failure></testcase>`;
}

function formatAttributes(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`)
    .join('');
}

/** Escapes text for XML 1.0. Replaces control characters, which XML 1.0 cannot represent. */
function escape(text: string): string {
  return (
    text
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- The characters to replace.
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replaceAll(/[&<>"\t\n\r]/g, (character) => `&#${String(character.charCodeAt(0))};`)
  );
}
