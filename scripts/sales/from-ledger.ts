import {openExistingLedger} from '../../paywall/ledger/existing-ledger.ts';
import {LEDGER_FILE, reasonOf} from '../../paywall/ledger/open-ledger.ts';
import {saleRecordSchema, type SaleRecord} from '../../paywall/ledger/sale-record.ts';
import type {Sale} from '../../paywall/ledger/sale.ts';
import {SiteError} from '../../paywall/site/site-error.ts';
import {InputError} from '../../shared/fault.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {inPages, type RefundLedger, type SalesSource} from './source.ts';

/** Sales in memory at a time. A row has some kilobytes, because it includes the payment. */
const PAGE = 1_000;
/** More sales than one transaction can pay for. */
const MOST_OF_ONE = 100;

/**
 * Opens the ledger of a gate on Node. Rejects with `SiteError` if it does not exist. Its methods reject with `InputError` for rows that no
 * gate has written.
 */
export async function ledgerAt(root: string, address?: string): Promise<SalesSource & RefundLedger> {
  const ledger = await openExistingLedger(root, address);
  const name = address ? shownAddress(address) : LEDGER_FILE;
  const answer = <T>(asked: Promise<T>) =>
    asked.catch((cause: unknown) => {
      throw new SiteError('FZ505', `The ledger ${name} cannot be used: ${reasonOf(cause)}`, {cause});
    });
  const records = async (asked: Promise<readonly Sale[]>) => (await answer(asked)).map(sale => recordOf(sale, name));
  return {
    name,
    sales: ({from, to}) => inPages(PAGE, after => records(ledger.list({limit: PAGE, from, to, after}))),
    paidBy: transaction => records(ledger.list({transaction, limit: MOST_OF_ONE})),
    withKey: async key => {
      const {same} = await answer(ledger.find(key, {network: '', payer: '', url: ''}));
      return same && recordOf(same, name);
    },
    refund: (key, transaction) => answer(ledger.refund(key, transaction)),
    close: () => ledger.close(),
  };
}

/** Validates a row, because other programs can write to the database. */
function recordOf(sale: Sale, file: string): SaleRecord {
  const {data, error} = saleRecordSchema.safeParse(sale);
  if (data) return data;
  const rule = `of the sale ${sale.key} was not written by a gate`;
  throw new InputError(error.issues.map(({path}) => ({code: 'FZ505', subject: file, field: path.join('.'), rule})));
}
