#!/usr/bin/env node
import process from 'node:process';

// `npm create contract-first openapi.yaml` is `contract-first init openapi.yaml`.
process.argv.splice(2, 0, 'init');
await import('contract-first/bin');
