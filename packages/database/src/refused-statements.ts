/** A kind of statement that is not allowed. The patterns are compared with `codeOf` a statement. */
type Refusal = {
  /** Matches the words that the error names. */
  readonly words: RegExp;
  /** If present, the statement is refused only if it also matches this pattern. */
  readonly when?: RegExp;
  /** The statement is allowed if it matches this pattern. */
  readonly unless?: RegExp;
  readonly reason: string;
};

const LASTING = 'its effect would stay in the connection after the transaction';
const TEMPORARY =
  'the temporary table would stay in the connection after the transaction, and hide tables of the same name';

/** The arguments of a function call, with up to two levels of calls inside. */
const ARGUMENTS = String.raw`(?:[^()]|\((?:[^()]|\([^()]*\))*\))*`;

const REFUSALS: readonly Refusal[] = [
  {
    words: /^(?:abort|begin|commit|end|prepare transaction|release|rollback|savepoint|set transaction|start)\b/i,
    reason: 'the function `transaction` begins and ends transactions',
  },
  {
    words: /^(?:attach|deallocate|detach|discard|listen|load|pragma|prepare|reset|unlisten)\b/i,
    reason: LASTING,
  },
  {
    words: /^set\b/i,
    unless: /^set (?:constraints|local)\b/i,
    reason: LASTING,
  },
  // CREATE TEMP TABLE beds
  {
    words: /^create (?:or replace )?(?:global |local )?temp(?:orary)?\b/i,
    unless: /\bon commit drop\b/i,
    reason: TEMPORARY,
  },
  // CREATE TABLE IF NOT EXISTS pg_temp.beds, CREATE VIEW [temp].beds
  {
    words: /^create (?:(?!(?:as|on)\b)\w+ )+[[`]?(?:pg_)?temp[\]`]? ?\./i,
    unless: /\bon commit drop\b/i,
    reason: TEMPORARY,
  },
  // SELECT id INTO TEMP beds. But INSERT INTO temp writes to a table of this name.
  {
    words: /(?<!\b(?:insert|merge|or \w+) )\binto (?:global |local )?temp(?:orary)?(?= \w)/i,
    when: /^(?:select|with)\b/i,
    reason: TEMPORARY,
  },
  // SELECT id INTO pg_temp.beds
  {
    words: /(?<!\b(?:insert|merge|or \w+) )\binto (?:unlogged )?(?:table )?pg_temp ?\./i,
    when: /^(?:select|with)\b/i,
    reason: TEMPORARY,
  },
  // SELECT set_config('search_path', lower('X'), false). A function in an application's schema may have this name.
  {
    words: new RegExp(String.raw`(?<!\. ?)\b(?:pg_catalog\.)?set_config\b(?= ?\(${ARGUMENTS}, ?false ?\))`, 'i'),
    reason: LASTING,
  },
  {
    words: /(?<!\. ?)\b(?:pg_catalog\.)?pg_(?:try_)?advisory_lock(?:_shared)?\b(?= ?\()/i,
    reason: `${LASTING}; pg_advisory_xact_lock ends with it`,
  },
  {
    words: /^declare\b/i,
    when: /\bwith hold\b/i,
    reason: 'the cursor would stay in the connection after the transaction',
  },
  {
    words: /^copy\b/i,
    when: /\bstd(?:in|out)\b/i,
    reason: 'a client cannot send or receive its data',
  },
  // Comments that `withoutBlanks` keeps.
  {
    words: /^--/,
    reason: 'a line feed must end a comment before a statement',
  },
  {
    words: /^\/\*/,
    reason: 'a comment before a statement must not contain a nested comment', // Only PostgreSQL allows them.
  },
];

/**
 * Checks that a statement neither controls transactions nor has an effect that outlasts its transaction and would affect
 * other users of the connection.
 *
 * @throws {Error} with the reason
 */
export function assertAllowed(text: string): void {
  const code = codeOf(text);
  for (const { words, when, unless, reason } of REFUSALS) {
    const [refused] = words.exec(code) ?? [];
    if (refused === undefined || when?.test(code) === false || unless?.test(code) === true) continue;
    throw new Error(`${refused.toUpperCase()} is not allowed in a statement: ${reason}`);
  }
}

/** Whether a text consists only of spaces, semicolons and comments. */
export function isBlank(text: string): boolean {
  return withoutBlanks(text) === '';
}

/** Removes spaces, semicolons and comments at the start. Keeps comments that end elsewhere in the other database. */
function withoutBlanks(text: string): string {
  return text.replace(/^(?:[\s;]|--[^\n\r]*(?:\r?\n|$)|\/\*(?:[^*/]|\*(?!\/)|\/(?!\*))*\*\/)*/, '');
}

/** Returns the code of a statement: without comments, texts, quotes of names, and repeated spaces. */
function codeOf(text: string): string {
  return withoutBlanks(text).replace(QUOTED, unquote).replace(WHITE_SPACE, ' ');
}

/** Comments after the start of a statement, texts, texts with PostgreSQL's escapes, and quoted names. */
const QUOTED = /(?!^)--[^\n\r]*|(?!^)\/\*[^]*?(?:\*\/|$)|'[^']*(?:'|$)|\be'(?:[^'\\]|\\[^]|'')*(?:'|$)|"[^"]*(?:"|$)/gi;

/** White space other than single spaces. */
const WHITE_SPACE = /\s{2,}|[^\S ]/g;

function unquote(quoted: string): string {
  if (/^[-/]/.test(quoted)) return ' ';
  if (!quoted.startsWith('"')) return "''";
  return /^"(\w+)"$/.exec(quoted)?.[1] ?? '_'; // No name of several words is refused.
}
