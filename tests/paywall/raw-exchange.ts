import {connect} from 'node:net';

/** After so long without an end, a request hangs. */
const PATIENCE_MS = 12_000;
/** A server that has been quiet for so long after its answer waits for more; it is told that no more will come. */
const QUIET_MS = 250;
/** A server that has not answered by now waits for the rest of a request that has none. */
const SILENCE_MS = 3_000;

/**
 * Sends bytes over a socket and collects all that comes back until the server closes, one character a byte. Rejects
 * where it neither answers nor closes.
 */
export function rawExchange(url: string, bytes: string, patienceMs = PATIENCE_MS): Promise<string> {
  const {hostname, port} = new URL(url);
  return new Promise((resolve, reject) => {
    const answer: Buffer[] = [];
    const socket = connect({host: hostname, port: Number(port)});
    const finish = () => {
      clearTimeout(patience);
      clearTimeout(quiet);
      socket.destroy();
      resolve(Buffer.concat(answer).toString('latin1'));
    };
    const hangUp = () => socket.end();
    let quiet = setTimeout(hangUp, SILENCE_MS);
    const patience = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end after ${patienceMs} ms`));
    }, patienceMs);
    socket.on('data', chunk => {
      answer.push(chunk);
      clearTimeout(quiet);
      quiet = setTimeout(hangUp, QUIET_MS);
    });
    socket.on('close', finish);
    socket.on('error', finish); // a reset is an answer too: the server wants no more of this
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}
