import {spawn} from 'node:child_process';
import {createRequire} from 'node:module';
import {freePort} from '../free-port.ts';

/** Starts the real `serve` for a folder, as `npm run serve` does. */
export async function serve(folder: string) {
  const port = await freePort();
  const bin = createRequire(import.meta.url).resolve('serve/build/main.js');
  const child = spawn(process.execPath, [bin, '--no-clipboard', '--listen', `tcp://127.0.0.1:${port}`, folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', code => {
      reject(new Error(`serve ended with ${code ?? 'a signal'}`));
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => {
        if (text.includes('Accepting')) resolve();
      });
  });
  return {url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void child.kill()};
}
