import fs from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {requests} from './requests.ts';

/** Contains the folders of the buyers that run `frozen buy`, until a simulation ends. */
export const BUYERS = join(tmpdir(), `simulated-buyers-${process.pid}`);

/** Waits for ever if the program that the current code belongs to has ended. */
async function step(): Promise<void> {
  const program = requests.getStore();
  program?.onStep();
  if (program?.isCancelled) await new Promise(() => undefined);
}

function instant(work: (...args: never[]) => unknown) {
  return async (...args: unknown[]) => {
    await step();
    return work(...(args as never[]));
  };
}

/** The functions of `node:fs/promises` that `frozen buy` uses. They take no real time, and a program that has ended changes nothing. */
export const INSTANT_FILES = {
  readFile: instant(fs.readFileSync),
  readdir: instant(fs.readdirSync),
  mkdir: instant(fs.mkdirSync),
  rename: instant(fs.renameSync),
  rm: instant(fs.rmSync),
  open: instant((path: string) => ({
    writeFile: instant((content: string | Uint8Array) => {
      fs.writeFileSync(path, content);
    }),
    sync: step,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  })),
};
