#!/usr/bin/env node
import tool from '../package.json' with {type: 'json'};

const needed = tool.engines.node.replace('>=', '');
if (isSupported(process.version, needed)) await run();
else {
  const found = `frozen needs Node.js ${needed} or later, and this is ${process.version}`;
  process.stderr.write(`${found}: install a newer version from https://nodejs.org.\n`);
  process.exitCode = 1;
}

function isSupported(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

async function run(): Promise<void> {
  const [{frozen}, {bugReport, linesOf}] = await Promise.all([import('./program.ts'), import('./terminal/faults.ts')]);
  // Also called for unhandled rejections.
  process.on('uncaughtException', error => {
    const expected = linesOf(error);
    process.stderr.write(expected === undefined ? bugReport(error) : `${expected}\n`);
    process.exit(1);
  });
  // Messages that cannot be written are lost. Without a listener, the error would end the process, for example a gate during a purchase.
  process.stderr.on('error', () => undefined);
  // npm runs package scripts in the folder of the package. Paths are relative to the folder in which npm was called.
  const {npm_lifecycle_event: script, INIT_CWD: folder} = process.env;
  if (folder && script === process.argv[2]) process.chdir(folder);
  process.exitCode = await frozen(process.argv.slice(2));
}
