import {execFileSync} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import type {RequestListener} from 'node:http';
import {createServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';

/** An HTTPS server on this machine. `await using`, or `[Symbol.asyncDispose]()`, stops it. */
export interface HttpsHost extends AsyncDisposable {
  readonly origin: string;
  /** The path of the certificate that a client has to trust. */
  readonly certificate: string;
}

/** Starts a host, and writes its key and certificate into a folder. */
export async function startHttps(listener: RequestListener, folder: string): Promise<HttpsHost> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate],
    ],
    {stdio: 'pipe'},
  );
  const server = createServer({key: await readFile(key), cert: await readFile(certificate)}, listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
