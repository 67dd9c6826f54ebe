#!/usr/bin/env node
import { spawn } from 'node:child_process';
import process from 'node:process';

// `exec node src/main.ts` in an npm script replaces the shell, so that the service receives the signals that npm sends.
// cmd.exe has no exec: on Windows, npm runs this script instead, which waits for the command.
const [command = '', ...args] = process.argv.slice(2);
process.on('SIGINT', () => undefined); // The command also receives SIGINT.
// Uses the running Node: `node` on the path may be a script installed by npm, which cannot be spawned.
const child = spawn(command === 'node' ? process.execPath : command, args, { stdio: 'inherit' });
child.on('error', (error) => {
  process.stderr.write(`${command}: ${error.message}\n`);
  process.exitCode = 127;
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
