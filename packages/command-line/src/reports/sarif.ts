/** A rule of findings. */
export type SarifRule = { readonly name: string; readonly meaning: string; readonly address: string };

/** A finding. */
export type SarifFinding = {
  readonly rule: SarifRule;
  readonly level: 'error' | 'warning' | 'note';
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column?: number | undefined;
};

/** Formats findings as SARIF 2.1.0, which GitHub code scanning reads, with a trailing line feed. */
export function formatSarif(tool: string, version: string, findings: readonly SarifFinding[]): string {
  const rules = new Map(findings.map(({ rule }) => [rule.name, rule]));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: tool,
            version,
            rules: [...rules.values()].map(({ name, meaning, address }) => ({
              id: name,
              shortDescription: { text: meaning },
              help: { text: `${meaning}: ${address}` },
              // SARIF allows absolute addresses only.
              ...(URL.canParse(address) && { helpUri: address }),
            })),
          },
        },
        results: findings.map(({ rule, level, message, file, line, column }) => ({
          ruleId: rule.name,
          level,
          message: { text: message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: file },
                region: { startLine: line, ...(column !== undefined && { startColumn: column }) },
              },
            },
          ],
        })),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}
