import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {PROJECT} from './entries.js';

/**
 * Makes x402 and the settler recover signatures with tests/simulator/quick-viem.ts, which is ten times as fast as viem.
 * @type {import('esbuild').Plugin}
 */
export const quickRecovery = {
  name: 'recovery of signatures',
  setup(build) {
    build.onResolve({filter: /^@x402\/evm/}, ({path}) => ({path: fileURLToPath(import.meta.resolve(path))}));
    build.onResolve({filter: /^viem$/}, ({importer}) =>
      /@x402[\\/]evm[\\/]|settler[\\/]signer/.test(importer)
        ? {path: join(PROJECT, 'tests/simulator/quick-viem.ts')}
        : undefined,
    );
  },
};
