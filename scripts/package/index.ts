// The exports of the package.

export {build, type Built, type Options as BuildOptions} from '../../build/build.ts';
export {InputError, type Fault} from '../../shared/fault.ts';
export {verifyDocument, type DocumentOptions} from '../../buyer/verify/verify-document.ts';
export {verifyReceipt, type ReceiptOptions} from '../../buyer/verify/verify-receipt.ts';
export {verifySite, type SiteOptions} from '../../buyer/verify/verify-site.ts';
export type {Check} from '../../buyer/verify/check.ts';
export {createGate} from '../../paywall/http/gate.ts';
// Loaded with the gate: a later import would fail if the package were updated while the program runs.
import '../../paywall/http/purchase.ts';
import '../../paywall/payments/chain/chain.ts';
export {openSite, type OpenSite} from '../../paywall/site/open-site.ts';
export {HttpFacilitator, type HttpFacilitatorOptions} from '../../paywall/payments/facilitator/http-facilitator.ts';
export {openServices, type ServiceOptions} from '../../paywall/payments/open-services.ts';
export {reconcile} from '../../paywall/payments/sales/reconcile.ts';
export type {Ledger} from '../../paywall/ledger/ledger.ts';
export {openLedger} from '../../paywall/ledger/open-ledger.ts';
export type {Sale} from '../../paywall/ledger/sale.ts';
export {recoverOnNode} from '../../paywall/hosts/recover.ts';
