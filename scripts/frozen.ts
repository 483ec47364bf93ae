#!/usr/bin/env node
import {isNodeSupported, NODE_NEEDED} from './terminal/node-version.ts';

if (isNodeSupported(process.version)) await run();
else {
  const needed = `frozen needs Node.js ${NODE_NEEDED} or later, and this is ${process.version}`;
  process.stderr.write(`${needed}: install a newer version from https://nodejs.org.\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const [{frozen}, {bugReport}] = await Promise.all([import('./program.ts'), import('./terminal/bug-report.ts')]);
  // It is called for errors of promises as well.
  process.on('uncaughtException', error => {
    process.stderr.write(bugReport(error));
    process.exit(1);
  });
  // npm runs the scripts of a package in the package's folder: paths are meant from where npm was called.
  const {npm_lifecycle_event: script, INIT_CWD: folder} = process.env;
  if (folder && script === process.argv[2]) process.chdir(folder);
  process.exitCode = await frozen(process.argv.slice(2));
}
