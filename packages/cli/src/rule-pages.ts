import { CHECK_TEXTS } from '@contract-first/check';
import { formatTable } from '@contract-first/command-line/reports';
import { familyOf, RULE_FAMILIES, RULES } from '@contract-first/diff';

const NOTICE = '<!-- Written by npm run pages -w packages/cli. Do not edit. -->';

/** Returns the page of each check, and of each family of rules, by its path in docs/. */
export function rulePages(): ReadonlyMap<string, string> {
  const checks = Object.entries(CHECK_TEXTS);
  return new Map([
    [
      'checks/index.md',
      indexPage(
        'The checks',
        '`contract-first check` sends requests, and these checks judge the responses.',
        checks.map(([name, { meaning }]) => [`[${name}](${name}.md)`, `fails if ${meaning}`]),
      ),
    ],
    ...checks.map(([name, text]) => [`checks/${name}.md`, checkPage(name, text)] as const),
    [
      'rules/index.md',
      indexPage(
        'The rules',
        '`contract-first diff` reports changes of a document by these rules.',
        RULE_FAMILIES.map(({ name, title, why }) => [`[${title}](${name}.md)`, why]),
      ),
    ],
    ...RULE_FAMILIES.map((family) => [`rules/${family.name}.md`, familyPage(family)] as const),
  ]);
}

function indexPage(title: string, text: string, rows: readonly (readonly string[])[]): string {
  return `${NOTICE}\n\n# ${title}\n\n${text}\n\n${formatTable(['Name', 'Meaning'], rows)}`;
}

function checkPage(
  name: string,
  { meaning, why, example, fix }: (typeof CHECK_TEXTS)[keyof typeof CHECK_TEXTS],
): string {
  return `${NOTICE}

# ${name}

The check fails if ${meaning}.

${why}

## Example

\`\`\`text
${example}
\`\`\`

## Fix

${fix}

## Accept

\`--baseline FILE --update-baseline\` accepts the failures of today, so that only new ones count.
\`--exclude-checks ${name}\` turns the check off. Both can be in [\`.contract.yaml\`](../tools/commands.md#the-options-file).
`;
}

function familyPage({ name, title, why, example, fix }: (typeof RULE_FAMILIES)[number]): string {
  const rules = [...RULES.values()].filter((rule) => familyOf(rule.name).name === name);
  const breaking = rules.find(({ levels }) => levels.includes('ERR')) ?? rules[0];
  const rows = rules.map((rule) => [`\`${rule.name}\``, rule.levels.join(', '), rule.meaning]);
  return `${NOTICE}

# ${title}

${why}

## Example

\`\`\`text
${example}
\`\`\`

## Fix

${fix}

## Accept

An entry in [\`.contract.yaml\`](../tools/diff.md#accept-a-finding) accepts a finding until a day:

\`\`\`text
diff:
  ignore:
    - rule: ${breaking?.name ?? ''}
      operation: GET /pets
      reason: no client uses it
      until: 2026-12-31
\`\`\`

## Rules

\`ERR\` breaks clients, \`WARN\` may break some clients, \`INFO\` breaks none.

${formatTable(['Rule', 'Level', 'Meaning'], rows)}`;
}
