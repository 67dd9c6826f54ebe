// The commands, for programs that start them.

export { main } from './main.ts';
export { startTemporaryService } from './check/temporary-service.ts';
