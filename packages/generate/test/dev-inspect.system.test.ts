import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { copyProject } from '@contract-first/testing/project.ts';
import { startServiceProcess } from '@contract-first/testing/service.ts';

const HANDLER = 'src/guests/create-guest.ts';

/** A message of the inspector protocol. */
type Message = { readonly id?: number; readonly method?: string; readonly params?: object; readonly result?: object };

/** Connects to an inspector until the test ends. */
async function connect(url: string) {
  const socket = new WebSocket(url);
  cleanUp(() => {
    socket.close();
  });
  const messages: Message[] = [];
  socket.addEventListener('message', ({ data }) => messages.push(JSON.parse(String(data)) as Message));
  await once(socket, 'open');
  let sent = 0;
  const received = async (isIt: (message: Message) => boolean): Promise<Message> => {
    for (;;) {
      const message = messages.find(isIt);
      if (message !== undefined) return message;
      await once(socket, 'message');
    }
  };
  return {
    send: async (method: string, params = {}): Promise<Message> => {
      const id = (sent += 1);
      socket.send(JSON.stringify({ id, method, params }));
      return received((message) => message.id === id);
    },
    event: (method: string) => received((message) => message.method === method),
  };
}

test('npm run dev -- --inspect: a breakpoint in the source of a handler pauses its request', async () => {
  const { folder, read } = copyProject();
  const command = ['sh', '-c', 'exec contract-first dev --inspect=127.0.0.1:0 2>&1'];
  const service = await startServiceProcess({}, command, folder);
  const inspector = await connect(/ws:\S+/.exec(service.output())?.[0] ?? '');
  await inspector.send('Debugger.enable');
  const url = pathToFileURL(join(folder, HANDLER)).href;
  const lineNumber = read(HANDLER)
    .split('\n')
    .findIndex((line) => line.includes('store.add('));
  const breakpoint = await inspector.send('Debugger.setBreakpointByUrl', { url, lineNumber });
  expect(breakpoint.result).toMatchObject({ locations: [{ lineNumber }] });

  const headers = { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' };
  const answered = fetch(`${service.url}/guests`, { method: 'POST', headers, body: '{"id":1,"name":"Anna"}' });
  const { params } = await inspector.event('Debugger.paused');
  expect(params).toMatchObject({
    hitBreakpoints: [expect.stringContaining(HANDLER)],
    callFrames: expect.arrayContaining([expect.objectContaining({ functionName: 'createGuest' })]),
  });
  await inspector.send('Debugger.resume');
  expect((await answered).status).toBe(200);
});
