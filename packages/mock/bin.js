#!/usr/bin/env node
import { runBin } from '@contract-first/command-line/bin';

await runBin(async () => (await import('#command')).mockCommand);
