import fs from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';

// Loaded into a buyer, this ends its process, like a crash, before the step with the number DIE_AT. Each change on the
// disk is a step, and so are the times before, during and after each response to a payment.

const last = Number(process.env['DIE_AT']);
let steps = 0;

function step() {
  if (++steps === last) process.kill(process.pid, 'SIGKILL');
}

const {promises} = fs;
for (const name of /** @type {const} */ (['rename', 'mkdir', 'rm'])) {
  /** @type {(...args: any[]) => Promise<any>} */
  const change = promises[name];
  Object.assign(promises, {
    /** @param {any[]} args */
    [name](...args) {
      step();
      return change(...args);
    },
  });
}

const {open} = promises;
/** @type {typeof open} */
const stepping = async (path, flags, mode) => {
  if (flags === 'w') step();
  const handle = await open(path, flags, mode);
  const [sync, writeFile] = [handle.sync.bind(handle), handle.writeFile.bind(handle)];
  handle.sync = () => {
    step();
    return sync();
  };
  handle.writeFile = (...args) => {
    step();
    return writeFile(...args);
  };
  return handle;
};
Object.assign(promises, {open: stepping});
syncBuiltinESMExports();

const ask = globalThis.fetch;
/** @type {typeof ask} */
const paying = async (input, init) => {
  if (!new Headers(init?.headers).has('PAYMENT-SIGNATURE')) return ask(input, init);
  step();
  const {body, status, headers} = await ask(input, init);
  step();
  const chunks = new TransformStream({
    transform(chunk, controller) {
      step();
      controller.enqueue(chunk);
    },
  });
  return new Response(body?.pipeThrough(chunks) ?? null, {status, headers});
};
Object.assign(globalThis, {fetch: paying});
