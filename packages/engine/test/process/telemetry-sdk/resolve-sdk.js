import { registerHooks } from 'node:module';

// Lets a service import the SDK from this folder, as if it were installed beside the engine.
registerHooks({
  resolve: (name, context, next) =>
    /^@opentelemetry\/(?:sdk-node|resources)$/.test(name) && !context.parentURL?.includes('/node_modules/')
      ? next(name, { ...context, parentURL: import.meta.url })
      : next(name, context),
});
