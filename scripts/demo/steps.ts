import type {PaymentRequired} from '@x402/core/types';
import type {Address} from 'viem';
import type {Entry, Rule} from '../../shared/shapes.ts';
import type {Buyer, Paid} from './buyer.ts';
import {network} from '../local-chain/chain.ts';
import type {Check} from './check-document.ts';
import {dollars} from '../local-chain/money.ts';

/** Told about each step once it is done: a heading and lines of label and text. */
export type Tell = (heading: string, lines: readonly Line[]) => void;

/** What one account holds before and after the purchase. */
export interface Balance {
  readonly address: Address;
  readonly before: string;
  readonly after: string;
}

type Line = readonly [label: string, text: string];

export async function showSample(buyer: Buyer, rule: Rule, entry: Entry, tell: Tell): Promise<Check> {
  const {title, check} = await buyer.readSample(entry);
  tell('The sample is free', [['GET', rule.sample], ['200', title], lineOf(check)]);
  return check;
}

/** The 402; throws where it does not ask for money on the chain of the demo. */
export async function showChallenge(buyer: Buyer, rule: Rule, tell: Tell) {
  const challenge = await buyer.askUnpaid();
  const asked = challenge.accepts.find(accepted => accepted.network === network);
  if (!asked) throw new Error(`the gate does not accept ${network}`);
  tell('The paid document is not', [
    ['GET', rule.path],
    ['402', `pay ${dollars(asked.amount)} USDC on ${network} to ${asked.payTo}`],
  ]);
  return {challenge, payTo: asked.payTo as Address};
}

export async function showPayment(buyer: Buyer, rule: Rule, challenge: PaymentRequired, tell: Tell): Promise<Paid> {
  const paid = await buyer.pay(challenge);
  const {value, validBefore, nonce} = paid.authorization;
  const until = new Date(Number(validBefore) * 1000).toISOString();
  tell('The buyer signs, the facilitator settles', [
    ['signed', `a transfer of ${dollars(value)} USDC, valid until ${until}`],
    ['nonce', nonce],
    ['GET', `${rule.path} with PAYMENT-SIGNATURE`],
    ['200', `${rule.title}, ${paid.document.length} bytes`],
  ]);
  return paid;
}

export async function showDocument(buyer: Buyer, {document}: Paid, entry: Entry, tell: Tell): Promise<Check[]> {
  const checks = await buyer.check(document, entry);
  tell('The document is what was announced', checks.map(lineOf));
  return checks;
}

export function showReceipt(transaction: string, {buyer, seller}: Record<'buyer' | 'seller', Balance>, tell: Tell) {
  const change = ({before, after}: Balance) => `${dollars(before)} → ${dollars(after)} USDC`;
  tell('The receipt and the balances', [
    ['transaction', transaction],
    ['buyer', change(buyer)],
    ['seller', change(seller)],
  ]);
}

function lineOf({name, ok, detail}: Check): Line {
  return [`${ok ? '✓' : '✗'} ${name}`, detail];
}
