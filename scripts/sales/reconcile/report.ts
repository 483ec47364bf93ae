import {counted} from '../../../shared/counted.ts';
import {printable} from '../../../shared/printable.ts';
import pc from '../../terminal/colours.ts';
import type {Terminal} from '../../terminal/command.ts';
import type {SalesSource} from '../source.ts';
import type {Finding} from './findings.ts';
import {readRules} from '../../../buyer/verify/rule-checks.ts';
import {chainNodeAt} from './node.ts';
import {compare, type Comparison, type Wanted} from './reconcile.ts';

interface Options extends Pick<Wanted, 'from' | 'fromBlock'> {
  readonly rpcUrl: string;
}

/** Compares ledger and chain, and prints the differences. Returns the exit code: 0 no difference, 1 differences. */
export async function runReconcile(
  root: string,
  ledger: SalesSource,
  {rpcUrl, ...options}: Options,
  terminal: Terminal,
): Promise<number> {
  const comparison = await compare({
    ...options,
    ledger,
    node: chainNodeAt(rpcUrl),
    payees: (await readRules(root)).payment.accepts,
    onBlock: (block, of) => {
      terminal.line.show(() => `block ${block} of ${of}`);
    },
    onSale: (sale, of) => {
      terminal.line.show(() => `sale ${sale} of ${of}`);
    },
  });
  terminal.print(reportForPrograms(comparison), reportOf(comparison));
  return isFine(comparison) ? 0 : 1;
}

/** True if all differences are in blocks that are not final. */
function isFine({findings}: Comparison): boolean {
  return !findings.some(({isFinal}) => isFinal);
}

/** Returns the differences, the compared range, and the verdict. */
function reportOf(comparison: Comparison): string {
  return [...comparison.findings.map(lineOf), ...notesOf(comparison), verdictOf(comparison)].join('\n');
}

function reportForPrograms(comparison: Comparison): object {
  return {ok: isFine(comparison), ...comparison, findings: comparison.findings.map(findingForPrograms)};
}

function findingForPrograms({isFinal, sale, ...finding}: Finding): object {
  if (!sale) return {...finding, final: isFinal};
  const {startedAt, settledAt, ...others} = sale;
  const settled_at = settledAt === null ? null : new Date(settledAt).toISOString();
  return {...finding, final: isFinal, sale: {...others, started_at: new Date(startedAt).toISOString(), settled_at}};
}

function lineOf({kind, isFinal, transaction, payer, amount, sale, detail}: Finding): string {
  const mark = isFinal ? pc.red('✗') : pc.dim('·');
  const product = sale && `, ${sale.product} of ${new Date(sale.startedAt).toISOString()}`;
  const words = `${detail}; ${amount} from ${payer}${product ?? ''}${transaction ? `, transaction ${transaction}` : ''}`;
  return `${mark} ${isFinal ? kind : `${kind}, not final yet`}: ${printable(words)}`;
}

function notesOf({transfers, before, elsewhere, blocks}: Comparison): string[] {
  const others = Object.entries(elsewhere).map(([network, n]) => `${network} (${counted(n, 'sale')})`);
  return [
    ...(transfers > 0 ? [`${counted(transfers, 'other transfer')} to the payees: no purchase`] : []),
    ...(before > 0 ? [`${counted(before, 'sale')} before the first block: not compared`] : []),
    ...(others.length > 0 ? [`not checked: ${others.join(', ')}`] : []),
    ...(blocks
      ? []
      : ['the ledger does not contain any sales: set --from-block to find payments that are not in the ledger']),
  ].map(note => pc.dim(printable(note)));
}

function verdictOf(comparison: Comparison): string {
  const {network, findings, blocks, sales, payments} = comparison;
  const faults = findings.filter(({isFinal}) => isFinal).length;
  const word = isFine(comparison) ? pc.green('reconciled') : pc.red('not reconciled');
  const range = blocks ? `, blocks ${blocks.first} to ${blocks.last}, final to ${blocks.final}` : '';
  const waiting = findings.length - faults;
  const parts = [
    counted(sales, 'sale'),
    counted(payments, 'payment'),
    counted(faults, 'difference'),
    ...(waiting > 0 ? [`${waiting} not final yet`] : []),
  ];
  return `${word}: ${network}${range}: ${parts.join(', ')}`;
}
