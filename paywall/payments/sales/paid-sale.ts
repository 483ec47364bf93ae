import type {SettleResponse} from '@x402/core/types';
import type {NewSale, Sale} from '../../ledger/sale.ts';
import type {Lease} from './lease.ts';
import {receiptOf} from './terms.ts';

/** A sale whose buyer may have the document now. Only a settlement (`settle.ts`) and an entitlement (`entitlement.ts`) construct one. */
export class PaidSale {
  readonly sale: NewSale;
  readonly receipt: SettleResponse;
  /** Exists unless the document was delivered before. */
  readonly lease: Lease | undefined;
  /** The digest of the document if it is not the one for sale now. */
  readonly archived: string | undefined;

  private constructor(sale: NewSale, receipt: SettleResponse, lease?: Lease, archived?: string) {
    [this.sale, this.receipt, this.lease, this.archived] = [sale, receipt, lease, archived];
  }

  /** A sale that was just settled. */
  static settled(lease: Lease, receipt: SettleResponse): PaidSale {
    return new PaidSale(lease.sale, receipt, lease);
  }

  /** A sale in the ledger that entitles to a document. */
  static entitled(sale: Sale, lease?: Lease, archived?: string): PaidSale {
    return new PaidSale(sale, receiptOf(sale, sale.transaction ?? ''), lease, archived);
  }
}
