import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {PROJECT} from './entries.js';

/**
 * Makes x402, the gate and viem itself use tests/simulator/quick-viem.ts, which recovers signatures ten times as fast as viem and hashes
 * nothing twice.
 * @type {import('esbuild').Plugin}
 */
export const quickRecovery = {
  name: 'recovery of signatures',
  setup(build) {
    const quick = (/** @type {string} */ name) => ({path: join(PROJECT, 'tests/simulator', name)});
    build.onResolve({filter: /^(\.\.\/.*hash|\.)\/keccak256\.js$/}, () => quick('quick-keccak.ts'));
    build.onResolve({filter: /^(@x402|viem)(\/|$)/}, ({path, importer}) =>
      path === 'viem' && /@x402[\\/]evm[\\/]|settler[\\/]signer|chain[\\/]signature/.test(importer)
        ? quick('quick-viem.ts')
        : {path: fileURLToPath(import.meta.resolve(path))},
    );
  },
};
