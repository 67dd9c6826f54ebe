// Runs first in the service's process under `npm run dev`. It ends the service when its parent ends, even by SIGKILL, so
// that the port becomes free.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();
