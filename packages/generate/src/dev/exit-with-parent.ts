// Loaded first in the service process under `npm run dev`. Ends the service when its parent ends, even by SIGKILL, to
// release the port.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();
