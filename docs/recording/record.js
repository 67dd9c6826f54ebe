import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

// `npm run record --prefix docs` runs the contract check against a service with a bug, and against the fixed service, and
// writes its output as an animated picture of a terminal.
const COLUMNS = 92;
const [CHARACTER, LINE, MARGIN] = [8.4, 20, 20];
const COLORS = { FAILED: '#ff7b72', $: '#7ee787' };
const OPENING = { command: 1, typed: 2.5, line: 0.5, pause: 3 };
const path = (name) => fileURLToPath(new URL(name, import.meta.url));

const rows = [];
let seconds = OPENING.command;
await scene('npx contract-first check openapi.yaml --url http://127.0.0.1:8080', []);
await scene('npx contract-first check openapi.yaml --url http://127.0.0.1:8080   # fixed', ['--fixed']);
writeFileSync(path('../recording.svg'), render());

/** Adds a command and its output. */
async function scene(command, args) {
  const server = fork(path('server.js'), args);
  const [port] = await once(server, 'message');
  const url = `http://127.0.0.1:${port}`;
  const check = [path('../../packages/cli/bin.js'), 'check', 'openapi.yaml', '--url', url, '--seed', '1'];
  const options = { cwd: path('.'), encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } };
  const { stdout, stderr, status } = spawnSync(process.execPath, check, options);
  server.kill();
  if (status !== (args.length === 0 ? 1 : 0)) throw new Error(stdout + stderr);
  rows.push({ text: `$ ${command}`, at: seconds, typed: true });
  seconds += OPENING.typed;
  const output = stdout.replaceAll(String(port), '8080');
  const shown = output.split('\n').filter((line) => !line.startsWith('checks that applied'));
  for (const line of shown.join('\n').trimEnd().split('\n')) {
    for (let start = 0; start === 0 || start < line.length; start += COLUMNS)
      rows.push({ text: line.slice(start, start + COLUMNS), at: seconds });
    seconds += OPENING.line;
  }
  rows.push({ text: '', at: seconds });
  seconds += OPENING.pause;
}

function render() {
  const [width, height] = [COLUMNS * CHARACTER + 2 * MARGIN, rows.length * LINE + 2 * MARGIN];
  const lines = rows.flatMap(({ text, at, typed }, index) => {
    if (text === '') return [];
    const [word] = text.split(' ');
    const fill = COLORS[word] === undefined ? '' : ` fill="${COLORS[word]}"`;
    const length = (text.length * CHARACTER).toFixed(1);
    const style = typed
      ? `animation:type ${OPENING.typed}s steps(${text.length}) ${at}s both`
      : `animation:show 0.01s ${at.toFixed(1)}s both`;
    const y = MARGIN + LINE * index + 15;
    return `<text x="${MARGIN}" y="${y}" textLength="${length}" xml:space="preserve"${fill} style="${style}">${escape(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<title>contract-first check finds that a service refuses the valid number 0, and nothing after the fix</title>
<style>
@keyframes show { from { opacity: 0 } }
@keyframes type { from { clip-path: inset(0 100% 0 0) } to { clip-path: inset(0 0 0 0) } }
@media (prefers-reduced-motion: reduce) { text { animation: none !important } }
</style>
<rect width="${width}" height="${height}" rx="8" fill="#1b1f24"/>
<g fill="#d8dee6">
${lines.join('\n')}
</g>
</svg>
`;
}

function escape(text) {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
