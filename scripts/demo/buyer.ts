import {x402Client, x402HTTPClient} from '@x402/core/client';
import type {PaymentRequired, SettleResponse} from '@x402/core/types';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import type {Address, Hex} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import {catalogueSchema, type Entry, type Rule} from '../../shared/shapes.ts';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {InputError} from '../../shared/fault.ts';
import {paths} from '../../shared/paths.ts';
import {network} from '../local-chain/chain.ts';
import {checkBytes, checkDocument, type Check} from './check-document.ts';

/** No document is larger than 25 MiB. */
const fetchFromGate = boundedFetch({maxBytes: 32 * 1024 * 1024, timeoutMs: 60_000});

/** What a buyer signs: an EIP-3009 transfer that whoever holds the signature may carry out, once. */
export interface Authorization {
  readonly from: Address;
  readonly to: Address;
  /** Atomic units. */
  readonly value: string;
  /** Seconds since 1970. */
  readonly validBefore: string;
  readonly nonce: Hex;
}

/** What a payment brought: the document, and what was given for it. */
export interface Paid {
  readonly document: Uint8Array;
  readonly authorization: Authorization;
  readonly receipt: SettleResponse;
}

/** A buyer's program in front of a gate, one method a step. It knows nothing but the gate's address and the rule. */
export class Buyer {
  readonly address: Address;
  readonly #gate: string;
  readonly #rule: Rule;
  readonly #client: x402HTTPClient;

  constructor(gate: string, rule: Rule, account: PrivateKeyAccount) {
    this.address = account.address;
    this.#gate = gate;
    this.#rule = rule;
    // Signs for the announced price and not a cent more.
    const client = new x402Client().register(network, new ExactEvmScheme(account));
    this.#client = new x402HTTPClient(client.setSpendControls({maxAmountPerPayment: rule.price}));
  }

  /** The catalogue's entry of the product. */
  async readCatalogue(): Promise<Entry> {
    const {products} = catalogueSchema.parse(await (await this.#get(paths.catalogue, 200)).json());
    const entry = products.find(product => product.name === this.#rule.name);
    if (!entry) throw new InputError({file: paths.catalogue, field: 'products', rule: `lack ${this.#rule.name}`});
    return entry;
  }

  /** The free sample, with its digest checked against the catalogue. */
  async readSample({sample}: Entry): Promise<{readonly title: string; readonly check: Check}> {
    const bytes = await bytesOf(await this.#get(this.#rule.sample, 200));
    const {title} = JSON.parse(new TextDecoder().decode(bytes)) as {title: string};
    return {title, check: checkBytes(bytes, sample)};
  }

  /** What the gate asks for when nobody pays. */
  async askUnpaid(): Promise<PaymentRequired> {
    const response = await this.#get(this.#rule.path, 402);
    return this.#client.getPaymentRequiredResponse(name => response.headers.get(name), await response.json());
  }

  /** Signs what was asked for and gets the document. */
  async pay(challenge: PaymentRequired): Promise<Paid> {
    const payment = await this.#client.createPaymentPayload(challenge);
    const headers = this.#client.encodePaymentSignatureHeader(payment);
    const response = await this.#get(this.#rule.path, 200, headers);
    return {
      document: await bytesOf(response),
      // The exact scheme over EIP-3009 puts it there; the package types the payload of any scheme.
      authorization: payment.payload['authorization'] as Authorization,
      receipt: this.#client.getPaymentSettleResponse(name => response.headers.get(name)),
    };
  }

  /** Everything a buyer can check in the document, the schema read from the gate. */
  async check(document: Uint8Array, {paid}: Entry): Promise<Check[]> {
    const schema = (await (await this.#get(this.#rule.schema, 200)).json()) as object;
    return checkDocument(document, paid, schema);
  }

  async #get(path: string, status: number, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetchFromGate(this.#gate + path, {headers});
    if (response.status === status) return response;
    throw new InputError({
      file: `GET ${path}`,
      rule: `answered ${response.status}, not ${status}: ${await response.text()}`,
    });
  }
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}
