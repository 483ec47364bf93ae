import type {AddressInfo, Server} from 'node:net';
import {SiteError} from '../site/site-error.ts';

/** Where a server listens, and the variable that names its port, for messages. */
export interface Place {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly variable: string;
}

/** Makes a server listen; its address. Rejects with `SiteError` where it cannot. */
export function listen(server: Server, {host, port, variable}: Place): Promise<string> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => {
      const words = faults[cause.code ?? '']?.({host, port, variable});
      reject(words === undefined ? cause : new SiteError(words, {cause}));
    };
    server.once('error', refuse);
    server.listen(port, host, () => {
      server.off('error', refuse);
      const {port} = server.address() as AddressInfo; // a TCP server has an address and no path
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
    });
  });
}

const noAddress = ({host}: Place) => `${host} is no address of this machine.`;
const faults: Readonly<Record<string, (place: Place) => string>> = {
  EADDRINUSE: ({host, port, variable}) => `Port ${port} on ${host} is in use: set ${variable} to another.`,
  EACCES: ({port, variable}) => `Port ${port} may not be listened on: set ${variable} to another.`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
};
