import {openExistingLedger} from '../../paywall/ledger/existing-ledger.ts';
import {LEDGER_FILE, reasonOf} from '../../paywall/ledger/open-ledger.ts';
import {SiteError} from '../../paywall/site/site-error.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {inPages, type RefundBooks, type SalesSource} from './source.ts';

/** Rows with their payments of some kilobytes are in memory at a time. */
const PAGE = 1_000;
/** More than one transaction can pay for. */
const MOST_OF_ONE = 100;

/** The ledger of a gate on Node. Rejects with `SiteError` where there is none. */
export async function ledgerAt(root: string, address?: string): Promise<SalesSource & RefundBooks> {
  const ledger = await openExistingLedger(root, address);
  const name = address ? shownAddress(address) : LEDGER_FILE;
  const answer = <T>(asked: Promise<T>) =>
    asked.catch((cause: unknown) => {
      throw new SiteError(`the ledger ${name} cannot be used: ${reasonOf(cause)}`, {cause});
    });
  return {
    name,
    sales: ({from, to}) =>
      inPages(PAGE, after =>
        answer(
          ledger.list({
            limit: PAGE,
            ...(from !== undefined && {from}),
            ...(to !== undefined && {to}),
            ...(after && {after}),
          }),
        ),
      ),
    paidBy: transaction => answer(ledger.list({transaction, limit: MOST_OF_ONE})),
    withKey: async key => (await answer(ledger.find(key, {network: '', payer: '', url: ''}))).same,
    refund: (key, transaction) => answer(ledger.refund(key, transaction)),
    close: () => ledger.close(),
  };
}
