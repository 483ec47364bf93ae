import {createHash} from 'node:crypto';
import {join} from 'node:path';
import {DEFAULT_ASSETS} from '@x402/evm';
import * as esbuild from 'esbuild';
import * as chains from 'viem/chains';

const HTTP = join(import.meta.dirname, '../../paywall/http');

/**
 * Returns the constant parts of the page of a 402, because a Worker cannot read files: style and script with their digests, and the
 * networks whose dollar token x402 knows, with those that have only test money.
 */
export async function offerPage() {
  const [style, script] = await Promise.all([
    bundled('offer-page.css', {}),
    bundled('in-browser/checkout.js', {format: 'iife', target: 'es2022'}),
  ]);
  return {
    style: {text: style, digest: digestOf(style)},
    script: {text: script, digest: digestOf(script)},
    networks,
    testNetworks,
  };
}

/** @type {(file: string, options: esbuild.BuildOptions) => Promise<string>} */
async function bundled(file, options) {
  const entryPoints = [join(HTTP, file)];
  const built = await esbuild.build({entryPoints, bundle: true, minify: true, write: false, ...options});
  return built.outputFiles?.[0]?.text.trim() ?? '';
}

/** @param {string} text */
function digestOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const known = Object.entries(DEFAULT_ASSETS).map(([network, [token]]) => {
  const chain = Object.values(chains).find(({id}) => `eip155:${id}` === network);
  return {network, token, chain};
});

const networks = Object.fromEntries(
  known.map(({network, token, chain}) => {
    const {symbol, decimals} = token ?? {};
    return [network, {name: chain?.name ?? network, symbol, decimals, chain: chain && addedChain(chain)}];
  }),
);

const testNetworks = known.filter(({chain}) => chain?.testnet).map(({network}) => network);

/**
 * Returns a network as the parameter of `wallet_addEthereumChain` (EIP-3085).
 * @param {import('viem').Chain} chain
 */
function addedChain({id, name: chainName, nativeCurrency, rpcUrls, blockExplorers}) {
  const blockExplorerUrls = blockExplorers && [blockExplorers.default.url];
  return {chainId: `0x${id.toString(16)}`, chainName, nativeCurrency, rpcUrls: rpcUrls.default.http, blockExplorerUrls};
}
