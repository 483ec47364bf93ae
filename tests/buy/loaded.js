import {appendFileSync} from 'node:fs';
import {register} from 'node:module';
import {isMainThread} from 'node:worker_threads';

// Loaded into a program and its child processes by NODE_OPTIONS, this records each module that they load.

if (isMainThread) register(import.meta.url);

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (process.env['LOADED']) appendFileSync(process.env['LOADED'], `${url}\n`);
  return next(url, context);
}
