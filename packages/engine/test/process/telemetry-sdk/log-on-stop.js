import process from 'node:process';
import { logs } from '@opentelemetry/api-logs';

// An application that emits a log record.
process.on('SIGTERM', () => {
  logs.getLogger('test').emit({ body: 'the application stops' });
});
