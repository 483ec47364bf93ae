import {x402Client, x402HTTPClient} from '@x402/core/client';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import type {Address} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import {digestOf} from '../../shared/digest.ts';
import type {Json} from '../../build/kinds/kind.ts';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {InputError} from '../../shared/fault.ts';
import {paths} from '../../shared/paths.ts';
import {catalogueSchema, type Listed, type Rule} from '../../shared/shapes.ts';
import {network, type Chain} from '../local-chain/chain.ts';
import {balanceOf, dollars} from '../local-chain/token.ts';
import {entryOf} from '../../buyer/verify/catalogue.ts';
import {schemaFaults} from '../../buyer/verify/examine-document.ts';
import {digestFault} from '../../buyer/verify/site-reader.ts';
import type {Line, Report} from './reporter.ts';

/** The result of a purchase, as `--json` prints it. Amounts are atomic units: millionths of a dollar. */
export interface Demonstration {
  readonly product: string;
  readonly price: string;
  readonly network: string;
  readonly transaction: string;
  readonly checks: readonly Check[];
  readonly buyer: Balance;
  readonly seller: Balance;
}

/** The balance of an account before and after the purchase. */
interface Balance {
  readonly address: Address;
  readonly before: string;
  readonly after: string;
}

/** The result of one check of the buyer. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** The maximum size of a document is 25 MiB. */
const fetchFromGate = boundedFetch({maxBytes: 32 * 1024 * 1024, timeoutMs: 60_000});

/** Buys one document as an external program would, with only the address of the gate and the rule, and prints each step. */
export async function purchase(
  gate: string,
  rule: Rule,
  account: PrivateKeyAccount,
  chain: Chain,
  report: Report,
): Promise<Demonstration> {
  const get = (path: string, status: number, headers?: Record<string, string>) => ask(gate, path, status, headers);
  const catalogue = catalogueSchema.parse(read((await get(paths.catalogue, 200)).body));
  const entry = entryOf(catalogue, rule.name);
  const sample = await get(rule.sample, 200);
  const sampleCheck = bytesCheck(sample.body, entry.sample);
  report('The sample is free', [
    ['GET', rule.sample],
    ['200', String(read(sample.body)['title'])],
    lineOf(sampleCheck),
  ]);

  // Signs at most the announced price.
  const spender = new x402Client().register(network, new ExactEvmScheme(account));
  const client = new x402HTTPClient(spender.setSpendControls({maxAmountPerPayment: rule.price}));
  const unpaid = await get(rule.path, 402);
  const challenge = client.getPaymentRequiredResponse(name => unpaid.headers.get(name), read(unpaid.body));
  const asked = challenge.accepts.find(accepted => accepted.network === network);
  if (!asked) throw new Error(`the gate does not accept ${network}`);
  const payTo = asked.payTo as Address;
  report('The paid document is not', [
    ['GET', rule.path],
    ['402', `pay ${dollars(asked.amount)} USDC on ${network} to ${payTo}`],
  ]);

  const balances = async () => ({
    buyer: String(await balanceOf(chain, account.address)),
    seller: String(await balanceOf(chain, payTo)),
  });
  const before = await balances();
  const payment = await client.createPaymentPayload(challenge);
  const {headers, body} = await get(rule.path, 200, client.encodePaymentSignatureHeader(payment));
  // The exact scheme with EIP-3009 has an `authorization`. The package types the payload for all schemes.
  const {value, validBefore, nonce} = payment.payload['authorization'] as Record<
    'value' | 'validBefore' | 'nonce',
    string
  >;
  const until = new Date(Number(validBefore) * 1000).toISOString();
  report('The buyer signs, the facilitator settles', [
    ['signed', `a transfer of ${dollars(value)} USDC, valid until ${until}`],
    ['nonce', nonce],
    ['GET', `${rule.path} with PAYMENT-SIGNATURE`],
    ['200', `${rule.title}, ${body.length} bytes`],
  ]);

  const schema = read((await get(rule.schema, 200)).body);
  const checks = [bytesCheck(body, entry.paid), schemaCheck(read(body), schema), digestCheck(read(body))];
  report('The document is what was announced', checks.map(lineOf));

  const after = await balances();
  const {transaction} = client.getPaymentSettleResponse(name => headers.get(name));
  const change = (who: 'buyer' | 'seller') => `${dollars(before[who])} → ${dollars(after[who])} USDC`;
  report('The receipt and the balances', [
    ['transaction', transaction],
    ['buyer', change('buyer')],
    ['seller', change('seller')],
  ]);
  return {
    ...{product: rule.name, price: rule.price, network, transaction, checks: [sampleCheck, ...checks]},
    buyer: {address: account.address, before: before.buyer, after: after.buyer},
    seller: {address: payTo, before: before.seller, after: after.seller},
  };
}

async function ask(gate: string, path: string, status: number, sent: Record<string, string> = {}) {
  const response = await fetchFromGate(gate + path, {headers: sent});
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status === status) return {headers: response.headers, body};
  throw new InputError({
    code: 'FZ602',
    subject: `GET ${path}`,
    rule: `answered ${response.status}, not ${status}: ${body.toString()}`,
  });
}

function read(body: Buffer): Json {
  return JSON.parse(body.toString()) as Json;
}

/** Compares the bytes with size and digest in the catalogue. */
function bytesCheck(bytes: Buffer, listed: Listed): Check {
  return check('bytes', digestFault(bytes, listed), `${bytes.length} bytes, SHA-256 ${listed.sha256}`);
}

function schemaCheck(document: Json, schema: Json): Check {
  return check('schema', schemaFaults(schema, document)[0], 'valid by its JSON Schema, draft 2020-12');
}

/** Compares the member `sha256` with the digest of the other members in RFC 8785 form. */
function digestCheck(document: Json): Check {
  const digest = digestOf(document);
  return {name: 'sha256', ok: digest === document['sha256'], detail: `RFC 8785 form has SHA-256 ${digest}`};
}

function check(name: string, fault: string | undefined, fine: string): Check {
  return {name, ok: fault === undefined, detail: fault ?? fine};
}

function lineOf({name, ok, detail}: Check): Line {
  return [`${ok ? '✓' : '✗'} ${name}`, detail];
}
