import type {AddressInfo, Server} from 'node:net';
import {SiteError} from '../site/site-error.ts';

/** The address of a server, and the setting for its port, which messages name. */
interface Place {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly setting: string;
}

/** Makes a server listen, and returns its address. Rejects with `SiteError` if the address cannot be used. */
export function listen(server: Server, {host, port, setting}: Place): Promise<string> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => {
      const words = faults[cause.code ?? '']?.({host, port, setting});
      reject(words === undefined ? cause : new SiteError('FZ907', words, {cause}));
    };
    server.once('error', refuse);
    server.listen(port, host, () => {
      server.off('error', refuse);
      const {port} = server.address() as AddressInfo; // a TCP server has an address and no path
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
    });
  });
}

const noAddress = ({host}: Place) => `${host} is not an address of this machine.`;
const faults: Readonly<Record<string, (place: Place) => string>> = {
  EADDRINUSE: ({host, port, setting}) => `Port ${port} on ${host} is in use: set ${setting} to another port.`,
  EACCES: ({port, setting}) => `Port ${port} may not be used by this user: set ${setting} to another port.`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
};
