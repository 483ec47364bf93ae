#!/usr/bin/env node
import {frozen} from './program.ts';

// npm runs the scripts of a package in the package's folder: paths are meant from where npm was called.
const {npm_lifecycle_event: script, INIT_CWD: folder} = process.env;
if (folder && script === process.argv[2]) process.chdir(folder);
process.exitCode = await frozen(process.argv.slice(2));
