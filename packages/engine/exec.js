#!/usr/bin/env node
import { spawn } from 'node:child_process';
import process from 'node:process';

// `exec node src/main.ts` in an npm script replaces the shell, so that the service gets the signals that npm sends to it.
// cmd.exe has no exec: there, npm finds this one, which waits for the command.
const [command = '', ...args] = process.argv.slice(2);
process.on('SIGINT', () => undefined); // The command gets it, too.
// Node itself is the one that runs this file: npm may have put it on the path as a script, which cannot be spawned.
const child = spawn(command === 'node' ? process.execPath : command, args, { stdio: 'inherit' });
child.on('error', (error) => {
  process.stderr.write(`${command}: ${error.message}\n`);
  process.exitCode = 127;
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
