import {connect} from 'node:net';

/** A request that takes longer counts as hanging. */
const PATIENCE_MS = 12_000;
/** A server that is silent for this time after its response waits for more requests. Then the socket ends its side. */
const QUIET_MS = 250;
/** A server without a response after this time waits for the rest of the request. */
const SILENCE_MS = 3_000;

/**
 * Sends bytes over a socket and returns all bytes of the response as characters, until the server closes the
 * connection. Rejects if the server neither answers nor closes it.
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
    socket.on('error', finish); // a reset is also a response
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}
