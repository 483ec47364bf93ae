import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Address} from 'viem';
import {network, startChain, type LocalChain} from '../../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../../scripts/local-chain/facilitator.ts';
import {offerBelow} from '../../../scripts/demo/demonstrate.ts';
import {readRules} from '../../../buyer/verify/rule-checks.ts';
import {forger} from '../../paywall/forge.ts';
import {decoded} from '../../paywall/hand-made.ts';
import {paragraphs, type Bench} from '../bench.ts';
import {figure} from '../measure/spread.ts';
import {connections, loadFigures, loadInTurns, loadTable} from './load.ts';
import {copyPaidHere} from './paid-here.ts';
import {memoryOver, memoryTable} from './memory.ts';
import {buyInARow, purchaseFailures, purchaseFigures, purchaseText, type Purchases} from './purchases.ts';
import {serveAll, type Serving} from './serving.ts';
import {measureWorkers, workerTable} from './worker.ts';

/**
 * Rounds of seconds. Requests for unchanged documents are counted instead, because one peer does not survive longer.
 */
const extents = {
  full: {rounds: 3, duration: 3, unchanged: 5000, requests: 200_000, steps: 4, purchases: 1000},
  quick: {rounds: 1, duration: 1, unchanged: 3000, requests: 4000, steps: 1, purchases: 20},
} as const;

/** Measures the gate and its bare peers with one site, each server in a separate process. */
export const gate: Bench = async ({extent, root, folder, showProgress}) => {
  const {rounds, duration, unchanged: amount, requests, steps, purchases: count} = extents[extent];
  // Wrangler also writes next to its configuration.
  const site = join(folder, 'site');
  await copyPaidHere(root, site);
  const {rule} = await offerBelow(site);
  const free = {path: rule.sample, status: 200};
  const unchanged = {path: rule.sample, status: 304, tagged: true};
  const paid = {path: rule.path, status: 402};

  showProgress('starting a chain, a facilitator and the servers');
  await using chain = await startChain();
  await using facilitator = await startFacilitator(chain);
  await using servers = await serveAll(site, facilitator.url);
  const {ours, packaged, files, tagged, x402} = servers;

  showProgress('loading a free document');
  const frees = await loadInTurns([ours, packaged, files], free, rounds, {duration});
  showProgress('loading a document that the client has');
  const unchangeds = await loadInTurns([ours, packaged, tagged], unchanged, rounds, {amount});
  showProgress('loading a challenge');
  const challenges = await loadInTurns([ours, x402], paid, rounds, {duration});
  showProgress('loading forged payments');
  const forged = {...paid, payment: forger(decoded(await fetch(ours.url + paid.path), 'PAYMENT-REQUIRED'))};
  const forgeries = await loadInTurns([ours], forged, rounds, {duration});
  showProgress(`watching memory over ${requests} requests`);
  const memory = await memoryOver(ours, [free, paid], {requests, steps});
  showProgress(`buying ${count} documents`);
  const purchases = await buy(site, chain, ours, count);

  showProgress('bundling the Worker and starting it');
  const workers = await measureWorkers(folder, site, facilitator.url, [free, paid], rounds);

  return {
    figures: {
      rounds,
      connections,
      free: loadFigures(frees),
      unchanged: loadFigures(unchangeds),
      challenge: loadFigures(challenges),
      forged: loadFigures(forgeries),
      memory,
      purchases: purchaseFigures(purchases),
      workers,
    },
    text: paragraphs(
      `Load generator on the same machine, ${connections} connections; rounds of ${duration} s, of ${figure(amount)} requests for 304s.`,
      loadTable('200, a free document', frees),
      loadTable('304, If-None-Match', unchangeds),
      loadTable('402, a challenge', challenges),
      loadTable('402, a forged payment', forgeries),
      memoryTable(memory),
      workerTable(workers),
      purchaseText(purchases),
    ),
    failures: purchaseFailures(purchases),
  };
};

async function buy(root: string, chain: LocalChain, server: Serving, count: number): Promise<Purchases> {
  const {rule} = await offerBelow(root);
  const {payment} = await readRules(root);
  const payTo = payment.accepts.find(accepted => accepted.network === network)?.pay_to as Address;
  const document = await readFile(join(root, 'public', rule.path), 'utf8');
  return buyInARow(chain, {url: server.url + rule.path, price: rule.price, payTo, document}, count);
}
