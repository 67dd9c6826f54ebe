// Runs first in the service's process under `npm run dev`: whatever happens to that command, even SIGKILL, the service
// does not stay behind on its port.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();
