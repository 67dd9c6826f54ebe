/** A fenced block of a document. */
export type Block = {
  readonly language: string;
  /** The file named in the preceding paragraph, such as `src/file.ts`. */
  readonly file: string | undefined;
  /** The number of the first line of text, beginning with 1. */
  readonly line: number;
  readonly text: string;
};

/** A command of a block. */
export type QuotedCommand = {
  readonly text: string;
  readonly line: number;
  /** The quoted lines of output; `undefined` in `sh` blocks, which have no output. */
  readonly quoted: readonly string[] | undefined;
};

const BLOCK =
  /(?:^`(?<file>[^`\n]+)`:\n\n)?^(?<indent> *)```(?<language>\w+)\n(?<text>(?:(?! *```$).*\n)*)\k<indent>```$/gm;

/** Parses the fenced blocks of a document. @throws {Error} if a fence is not part of a block */
export function readBlocks(document: string): readonly Block[] {
  const blocks = Array.from(document.matchAll(BLOCK), ({ index, groups = {}, 0: whole }) => {
    const { language = '', file, indent = '', text = '' } = groups;
    const before = document.slice(0, index + whole.length - `${text}${indent}\`\`\``.length);
    return { language, file, line: lineNumber(before), text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
  });
  const fences = document.match(/^\s*(?:```|~~~)/gm) ?? [];
  if (fences.length !== 2 * blocks.length) throw new Error('a fence has no language or no end');
  return blocks;
}

/**
 * Parses the commands of a block: each line in `sh`; lines that start with `$ ` in `console`, followed by their output.
 */
export function commandsOf({ language, text, line }: Block): readonly QuotedCommand[] {
  const isConsole = language === 'console';
  const commands: { text: string; line: number; quoted: string[] | undefined }[] = [];
  text
    .trimEnd()
    .split('\n')
    .forEach((content, index) => {
      if (!isConsole) commands.push({ text: content, line: line + index, quoted: undefined });
      else if (content.startsWith('$ ')) commands.push({ text: content.slice(2), line: line + index, quoted: [] });
      else if (commands.length === 0) throw new Error('a console block starts with a command');
      else commands.at(-1)?.quoted?.push(content);
    });
  return commands;
}

/** Returns the line number at the end of a text. */
function lineNumber(text: string): number {
  return text.split('\n').length;
}

/** A problem in a line of a document. */
export class Problem extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}
