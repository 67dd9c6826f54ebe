/** Returns the default export of a CommonJS module. Node imports the module; Bun imports its default export. */
export function defaultExport<Value>(module: { readonly default: Value }): Value {
  return 'default' in module ? module.default : module;
}
