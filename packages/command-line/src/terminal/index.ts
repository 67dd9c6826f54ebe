/**
 * Handles the output, the failures and the signals of commands.
 *
 * @module @contract-first/command-line/terminal
 */

export { exitWithoutOutput, print, printError, refuse, reportBugs, reportRefusal, type Style } from './command.ts';
export { describeBug } from './describe-bug.ts';
export { abortOnSignals, stopWithNpm } from './signals.ts';
export { VERSION } from './version.ts';
