import {InputError} from '../../shared/fault.ts';
import type {Examiner} from '../verify/examiner.ts';
import type {Wallet} from './authorize.ts';
import {confirmationOf} from './confirmation.ts';
import type {Consent} from './consent.ts';
import {onDisk} from './disk.ts';
import {NETWORKS} from './networks.ts';
import {documentFaults, type Offer} from './offer.ts';
import {saveDocument, type Bought} from './owned.ts';
import type {Limits, Payment} from './payments.ts';
import type {Outcome} from './send.ts';

export interface PurchaseContext extends Limits {
  readonly wallet: Wallet;
  readonly folder: string;
  readonly examiner: Examiner;
  readonly rpcUrl: string | undefined;
  /** Returns the consent of the buyer to an offer. Throws if the buyer does not agree. */
  readonly agree: (offer: Offer) => Promise<Consent>;
}

/** Saves a received document. If it is not the one for sale, it is saved separately, and `InputError` is thrown. */
export async function takeDocument(
  offer: Offer,
  payment: Payment,
  {answer, transaction, receipt}: Outcome & {kind: 'document'},
  {folder: root, payments, examiner}: PurchaseContext,
): Promise<Bought> {
  const {url} = offer;
  const faults = await documentFaults(offer, answer, examiner);
  const {network, asset, payer, payTo, amount} = payment;
  const known = {network, asset, payer, payTo, amount, ...(transaction !== undefined && {transaction})};
  const confirmation = await confirmationOf(receipt, offer, known);
  const settled = {transaction, confirmation};
  const isRejected = faults.length > 0;
  const saving = onDisk(root, async () => {
    const folder = await saveDocument(root, offer, payment, answer.bytes, settled, isRejected);
    await payments.move(payment, isRejected ? 'aside' : 'closed');
    return folder;
  });
  const saved = await saving.catch((cause: unknown) => {
    if (!(cause instanceof InputError)) throw cause;
    const rule = 'was paid, but cannot be saved';
    const fix = 'Run the command again with the same folder within 24 hours. It is not paid again.';
    throw new InputError([...cause.faults, {code: 'FZ611', url, rule, fix}], {cause});
  });
  if (!isRejected) return {kind: 'bought', folder: saved, transaction, unconfirmed: confirmation?.fault};
  const fix = 'Ask the publisher, or run the command again later.';
  throw new InputError([
    ...faults.map(rule => ({code: 'FZ603' as const, url, rule: `was paid, but the received document ${rule}`})),
    {code: 'FZ603', file: saved, rule: 'contains the received document. It is not paid again', fix},
  ]);
}

/** The reasons of facilitators for a wallet with too little money. */
const TOO_LITTLE = /^(insufficient_funds|invalid_exact_evm_insufficient_balance)$/;

/** Returns the error for a payment without a document. */
export function refusedPayment(
  {url}: Offer,
  {validBefore, payer, network}: Payment,
  outcome: Exclude<Outcome, {kind: 'document'}>,
) {
  const {reason} = outcome;
  const until = new Date(validBefore * 1000).toISOString();
  const [rule, fix] =
    outcome.kind === 'refused' && !outcome.isUnexpected
      ? [
          `was refused: ${reason}`,
          TOO_LITTLE.test(reason)
            ? `Send USDC on ${NETWORKS[network] ?? network} to the wallet ${payer}, and run the command again.`
            : `Run the command again. It sends the same payment until ${until}, when the payment expires.`,
        ]
      : [
          `${reason}. The payment may have gone through`,
          'Run the command again within 24 hours. Nothing is paid twice.',
        ];
  return new InputError({code: 'FZ605', url, rule, fix});
}
