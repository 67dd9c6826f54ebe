import { windowsCommandLine } from '../src/proxy/windows-command-line.ts';

test.each([
  ['a script', 'npm', ['test'], 'npm ^"test^"'],
  ['a path', './node_modules/.bin/jest', [], String.raw`node_modules\.bin\jest`],
  ['a path with a space', String.raw`C:\Program Files\a.cmd`, [], String.raw`C:\Program^ Files\a.cmd`],
  ['an empty argument and a space', 'a', ['', 'b c'], 'a ^"^" ^"b^ c^"'],
  ['a variable and a second command', 'a', ['%PATH% & b'], 'a ^"^%PATH^%^ ^&^ b^"'],
  ['quotes', 'a', ['{"b":1}'], String.raw`a ^"{\^"b\^":1}^"`],
  ['backslashes', 'a', [String.raw`b\c\\"d\ `.trim()], String.raw`a ^"b\c\\\\\^"d\\^"`],
])('cmd.exe passes arguments unchanged: %s', (_name, command, args, line) => {
  expect(windowsCommandLine(command, args)).toBe(line);
});
