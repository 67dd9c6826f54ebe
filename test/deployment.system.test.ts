import { parse } from 'yaml';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDatabase, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { ROOT, runProcess, startServiceProcess } from '@contract-first/testing/service.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const files = new Map(readdirSync(join(ROOT, 'deploy')).map((name) => [name, read(join('deploy', name))]));
const file = (name: string): string => files.get(name) ?? '';
const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]);

/** The defaults of the configuration table. */
const documented = new Map(
  [...read('docs/reference/configuration.md').matchAll(/^\| (`[A-Z_`, ]+`) +\| ([^|]*)\|/gm)].flatMap(
    ([, names = '', value = '']) =>
      [...names.matchAll(/[A-Z_]+/g)].map(([name]) => [name, value.replaceAll('`', '').trim()]),
  ),
);
const defaultOf = (name: string): number => Number(documented.get(name));
// The store may take two seconds longer than the requests to close.
const stoppingSeconds = (defaultOf('SHUTDOWN_GRACE_MS') + 2_000) / 1_000;

/** The last stage of the image. */
const lastStage =
  file('Containerfile')
    .split(/^FROM /m)
    .at(-1) ?? '';
const instructions = (keyword: string): string[] =>
  [...lastStage.matchAll(new RegExp(`^${keyword} (.*)`, 'gm'))].map(([, rest = '']) => rest);
const imageEnvironment = Object.fromEntries(
  [
    ...instructions('ENV')
      .join(' ')
      .matchAll(/(\w+)=(\S+)/g),
  ].map(([, name = '', value = '']) => [name, value]),
);
const unitSettings = (name: string): string[] =>
  [...file('plant-store.service').matchAll(new RegExp(`^${name}=(.*)`, 'gm'))].map(([, value = '']) => value);

type Probe = { httpGet: { port: string; path: string } };
type Manifest = { kind: string; spec: Record<string, unknown> };
type PodSpec = {
  terminationGracePeriodSeconds: number;
  containers: {
    ports: { name: string; containerPort: number }[];
    env: { name: string }[];
    lifecycle: { preStop: { sleep: { seconds: number } } };
    startupProbe: Probe;
    livenessProbe: Probe;
    readinessProbe: Probe;
  }[];
};
// The manifests were checked against Kubernetes' types; this test checks the values shared with the service.
const manifests = file('kubernetes.yaml')
  .split(/^---$/m)
  .map((text) => parse(text) as Manifest);
const pod = (manifests[0]?.spec['template'] as { spec: PodSpec }).spec;
const [container] = pod.containers;

test('every way to deploy sets only documented variables', () => {
  const unit = unitSettings('Environment').flatMap((line) => [...line.matchAll(/(\w+)=/g)].map(([, name]) => name));
  const names = [...Object.keys(imageEnvironment), ...unit, ...(container?.env ?? []).map(({ name }) => name)];
  expect(names.length).toBeGreaterThan(6);
  expect(names.filter((name) => name !== 'PATH' && !documented.has(name ?? ''))).toEqual([]);
});

test('every way to deploy runs the command of npm start directly', () => {
  // The entry point of the image is node.
  const image = instructions('CMD').map((command) => `node ${(parse(command) as string[]).join(' ')}`);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
  const commands = [...unitSettings('ExecStart').map((command) => command.replace('/usr/bin/env ', '')), ...image];
  const start = scripts.start.replace(/^exec /, '');
  expect(commands).toEqual([start, start]);
});

test('every way to deploy gives the service enough time to stop', () => {
  const { terminationGracePeriodSeconds } = pod;
  const sleepSeconds = container?.lifecycle.preStop.sleep.seconds ?? NaN;
  expect(terminationGracePeriodSeconds).toBeGreaterThan(sleepSeconds + stoppingSeconds);
  expect(Number(unitSettings('TimeoutStopSec')[0])).toBeGreaterThan(stoppingSeconds);
  expect(numberIn(read('docs/guide/deployment.md'), /--stop-timeout (\d+)/)).toBeGreaterThan(stoppingSeconds);
});

test('every way to deploy uses the ports that the service listens on', () => {
  const ports = [defaultOf('PORT'), defaultOf('OPS_PORT')];
  expect(instructions('EXPOSE')).toEqual([ports.join(' ')]);
  expect(container?.ports.map(({ containerPort }) => containerPort)).toEqual(ports);
});

test('the image contains every file of the service and its commands, and its service responds', async () => {
  const folder = temporaryFolder();
  for (const instruction of instructions('COPY').filter((copy) => !copy.startsWith('--from='))) {
    const [source = '', target = ''] = instruction.split(' ');
    cpSync(join(ROOT, source), join(folder, target), { recursive: true });
  }
  // The image copies package.json and node_modules from the build stage.
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const env = { ...imageEnvironment, OPS_PORT: '0', DATABASE_URL: temporaryDatabase() };

  const service = await startServiceProcess(env, ['node', 'src/main.ts'], folder);
  const response = await fetch(`${service.url.replace('0.0.0.0', '127.0.0.1')}/plants`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
    body: '{"id":1,"name":"Fern"}',
  });
  expect(response.status).toBe(200);
  const exported = await runProcess('node', ['scripts/export.ts'], env, folder);
  expect(exported).toEqual({ code: 0, stdout: '{"id":1,"name":"Fern"}\n', stderr: '' });
  const scripts = [...read('docs/guide/deployment.md').matchAll(/^podman .* (scripts\/\S+)/gm)].map(
    ([, path = '']) => path,
  );
  expect(scripts.length).toBeGreaterThan(2);
  for (const path of scripts) expect(existsSync(join(folder, path))).toBe(true);
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(0);
});

test('systemd allows more open files than connections, and allows V8 to compile', () => {
  expect(Number(unitSettings('LimitNOFILE')[0])).toBeGreaterThan(defaultOf('CONNECTION_LIMIT'));
  expect(unitSettings('MemoryDenyWriteExecute')).toEqual([]);
});

test('the directives of the systemd unit exist in systemd 249', () => {
  // The directives added in systemd 250 to 256, according to its NEWS.
  const later =
    /^(?:ExecSearchPath|RestrictFileSystems|RestrictNetworkInterfaces|SetCredentialEncrypted|TTYColumns|ManagedOOM\w+Limit|OpenFile|RestartSteps|RestartMaxDelaySec|MemoryZSwapMax|MemoryPressure\w+|SurviveFinalKillSignal|PrivatePIDs|ProtectControlGroupsEx)=/m;
  expect(file('plant-store.service')).not.toMatch(later);
  const [search = ''] = unitSettings('Environment').flatMap((line) => /\bPATH=(\S+)/.exec(line)?.[1] ?? []);
  expect(search.split(':')[0]).toBe(`${String(unitSettings('WorkingDirectory')[0])}/node_modules/.bin`);
});

test('Kubernetes allows access to the ops port only from the monitoring namespace', () => {
  const policy = manifests.find(({ kind }) => kind === 'NetworkPolicy');
  expect(policy?.spec).toMatchObject({
    podSelector: manifests[0]?.spec['selector'],
    policyTypes: ['Ingress'],
    ingress: [
      { ports: [{ port: 'http' }] },
      { ports: [{ port: 'ops' }], from: [{ namespaceSelector: { matchLabels: expect.any(Object) } }] },
    ],
  });
  const service = manifests.find(({ kind }) => kind === 'Service');
  expect(service?.spec['ports']).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
});

test('Kubernetes probes the ops listener at the documented paths', () => {
  const { startupProbe, livenessProbe, readinessProbe } = container ?? {};
  for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
    expect(container?.ports.find(({ name }) => name === probe?.httpGet.port)?.containerPort).toBe(
      defaultOf('OPS_PORT'),
    );
    expect(read('docs/guide/deployment.md')).toContain(`\`${String(probe?.httpGet.path)}\``);
  }
  expect(readinessProbe?.httpGet.path).toBe('/readyz');
});
