import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles } from '@contract-first/command-line/files';
import { printError, refuse } from '@contract-first/command-line/terminal';

const TEMPLATES = fileURLToPath(new URL('templates', import.meta.url));
// npm excludes files with the final names from packages.
const RENAMED: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  npmrc: '.npmrc',
  'yarnrc.yml': '.yarnrc.yml',
};

/**
 * Copies files with their modes. Keeps existing files. If a file cannot be written, removes the copied files and exits
 * with an error.
 *
 * @param finish writes the last file
 */
export function copyMissing(from: string, to: string, finish: () => void): void {
  const created: string[] = [];
  try {
    for (const file of listFiles(from)) {
      const [source, target] = [join(from, file), join(to, file)];
      if (existsSync(target)) {
        if (!readFileSync(source).equals(readFileSync(target))) printError(`${file}: kept`);
      } else {
        created.push(mkdirSync(dirname(target), { recursive: true }) ?? target);
        copyFileSync(source, target);
      }
    }
    finish();
  } catch (error) {
    for (const path of created) rmSync(path, { recursive: true, force: true });
    refuse(`${to} cannot have the project: ${(error as Error).message}`); // A file system error.
  }
}

/** Copies a template. Replaces placeholders, words in capitals, in file names and texts. */
export function copyTemplate(name: string, words: Readonly<Record<string, string>>): void {
  const template = join(TEMPLATES, name);
  const fill = (text: string): string => text.replaceAll(/\b[A-Z]{4,}\b/g, (word) => words[word] ?? word);
  for (const file of listFiles(template)) {
    const target = RENAMED[file] ?? fill(file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(template, file), target); // Copies the mode.
    write(target, fill(readFileSync(join(template, file), 'utf8')));
  }
}

/** Writes a file. Creates its folder if necessary. */
export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
