// Preloaded by every npm command. When Node is too old or a package is missing, it prints one line with the fix instead of a
// stack. It is CommonJS, since older versions of Node must be able to load it.
const process = require('node:process');

const NODE = 24;

if (parseInt(process.versions.node, 10) < NODE) {
  refuse(
    `Node.js ${NODE} or later is required, this is ${process.version}: run npm ci, which brings it on most platforms, or install it`,
  );
}
process.on('uncaughtExceptionMonitor', (error) => {
  const name = missingPackage(error);
  if (name === undefined) return;
  const { devDependencies } = require('../package.json');
  refuse(`the package ${name} is not installed: run npm ci${name in devDependencies ? ', without --omit=dev' : ''}`);
});

/** Returns the package that an import or a require did not find; `undefined` for other errors. */
function missingPackage(error) {
  if (!(error instanceof Error) || !/^(?:ERR_)?MODULE_NOT_FOUND$/.test(error.code)) return undefined;
  // The path of a main module may be in node_modules; other paths are files of this project.
  const [, name] =
    /^Cannot find (?:package|module) '(?:.*\/node_modules\/)?((?:@[^/']+\/)?[^@./:'][^/:']*)['/]/.exec(
      error.message.replaceAll('\\', '/'),
    ) ?? [];
  return name;
}

function refuse(problem) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
