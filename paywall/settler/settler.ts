import {ExactEvmScheme} from '@x402/evm/exact/facilitator';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {parseErc6492Signature, type Address, type Hex, type TransactionReceipt} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../ledger/ledger.ts';
import {DEFAULT_LIMITS} from '../payments/limits.ts';
import {keyOf, type Payment} from '../payments/protocol/payment.ts';
import type {Facilitator, OnTrouble, Settlement, Verdict} from '../payments/facilitator/facilitator.ts';
import {codeOf, refusalOf} from '../payments/facilitator/http-facilitator.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {nodeAt, type Node} from '../../shared/evm/node.ts';
import {Gas} from './gas.ts';
import {PaymentSigner} from './signer.ts';
import {isFilled, rebroadcast} from './rebroadcast.ts';
import {CONTRACT_REFUSALS, OutOfGas, PaymentRefused, type Call, type Order} from './order.ts';
import {Transactions} from './transactions.ts';

export interface SettlerOptions {
  /** Pays for the gas. It needs no other money. */
  readonly account: PrivateKeyAccount;
  readonly rpcUrl: string;
  readonly ledger: Ledger;
  /** The percentage of the balance that contract wallets may use for gas within a day. */
  readonly contractGasPercent?: number | undefined;
  readonly onTrouble?: OnTrouble | undefined;
}

/** How long a settlement waits for its transaction: longer than a buyer does, so that a stuck transaction is replaced. */
const WAIT_MS = 60_000;
/** How often nonces are counted while no transaction is open: the chain may take blocks back. */
const RECOUNT_MS = 60_000;
/** The number of reservations that are read at a time. Reservations with higher nonces cannot be mined earlier. */
const PAGE = 100;
/** The maximum number of verified payments with a cached gas estimate. */
const MOST_ESTIMATES = 1_000;

/** A facilitator within the gate: x402's own code, with a node of the chain and a key that pays for the gas. */
export class Settler implements Facilitator {
  readonly host: string;
  readonly #address: Address;
  readonly #node: Node;
  readonly #ledger: Ledger;
  readonly #transactions: Transactions;
  readonly #gas: Gas;
  readonly #onTrouble: OnTrouble;
  /** The gas of verified payments of keys, by the key of the sale, so that it is estimated once. */
  readonly #estimates = new Map<string, bigint>();
  #trouble = '';
  #isOverBudget = false;
  /** The number of nonces that were used in blocks when they were last counted, and when they are counted again although none is open. */
  #mined = 0;
  #recountAt = 0;

  constructor({account, rpcUrl, ledger, contractGasPercent, onTrouble = () => undefined}: SettlerOptions) {
    this.host = `self ${account.address}`;
    this.#address = account.address;
    this.#node = nodeAt(rpcUrl);
    [this.#ledger, this.#onTrouble] = [ledger, onTrouble];
    this.#transactions = new Transactions(account, this.#node, ledger, onTrouble);
    const percent = contractGasPercent ?? DEFAULT_LIMITS.MAX_CONTRACT_GAS_PERCENT;
    this.#gas = new Gas(account.address, this.#node, percent, onTrouble);
  }

  /** Rejects if the gas is not enough for one more settlement, or the node does not answer. */
  async checkGas(): Promise<void> {
    if (!(await this.#gas.isEnough())) throw new Error(`${this.#address} does not have enough gas for a settlement`);
  }

  /** Refuses a payment whose settlement would fail or cost too much gas, before a sale is recorded. */
  async verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verdict> {
    const {authorization, signature} = payload.payload as Payment['payload'];
    const payer = authorization.from as Address;
    const signer = new PaymentSigner(this.#address, payer, this.#node, {
      estimate: async call => this.#transactions.estimate(call, await this.#gas.fees()),
    });
    try {
      // x402 simulates a wrapped signature with the deployment of the wallet, which is never sent.
      const inner = parseErc6492Signature(signature as Hex);
      const unwrapped = {...payload, payload: {...payload.payload, signature: inner.signature}};
      await this.#checkNetwork(requirements);
      if (!(await this.#gas.isEnough())) return {kind: 'unavailable'};
      const answer = await new ExactEvmScheme(signer).verify(unwrapped, requirements);
      if (signer.faults.length > 0) throw signer.faults[0];
      this.#trouble = '';
      if (!answer.isValid) return {kind: 'invalid', reason: codeOf(answer.invalidReason)};
      if (signer.gas === undefined) throw new Error('the transfer was not estimated');
      const key = keyOf(requirements, payload.payload as Payment['payload']);
      if (signer.isContract) return await this.#verdictOnContract(key, payer, signer.gas);
      if (this.#estimates.size >= MOST_ESTIMATES) this.#estimates.clear();
      this.#estimates.set(key, signer.gas);
      return {kind: 'valid'};
    } catch (error) {
      if (error instanceof PaymentRefused) return {kind: 'invalid', reason: error.message};
      this.#report(error);
      return {kind: 'unavailable'};
    }
  }

  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement> {
    return this.#gas.during(() => this.#settle(payload, requirements));
  }

  async #settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement> {
    const progress = {mayBeSent: false};
    const key = keyOf(requirements, payload.payload as Payment['payload']);
    const payer = (payload.payload as Payment['payload']).authorization.from as Address;
    const signer: PaymentSigner = new PaymentSigner(this.#address, payer, this.#node, {
      send: call =>
        this.#send(call, {
          key,
          // A contract may decide differently from the last estimate.
          gas: signer.isContract ? undefined : this.#estimates.get(key),
          spending: cost => (signer.isContract ? this.#gas.spendingOf(payer, cost) : Promise.resolve(undefined)),
          onSigning: () => {
            progress.mayBeSent = true;
          },
        }),
    });
    try {
      await this.#checkNetwork(requirements);
      const answer = await new ExactEvmScheme(signer).settle(payload, requirements);
      const {network, payer: paidBy} = answer;
      if (answer.success)
        return {
          kind: 'settled',
          receipt: {success: true, transaction: answer.transaction, network, ...(paidBy && {payer: paidBy})},
        };
      if (signer.faults.length > 0) throw signer.faults[0];
      // A reverted transaction is public, so any party can send the authorization again.
      return progress.mayBeSent ? {kind: 'unknown'} : refusalOf(answer.errorReason);
    } catch (error) {
      if (progress.mayBeSent) {
        this.#report(error);
        return {kind: 'unknown'};
      }
      if (error instanceof PaymentRefused) return {kind: 'declined', reason: error.message};
      this.#report(error);
      return {kind: 'unavailable'};
    } finally {
      this.#estimates.delete(key);
    }
  }

  /** Returns the verdict on a contract wallet's payment, which can revert although its simulation succeeded. */
  async #verdictOnContract(key: string, payer: Address, gas: bigint): Promise<Verdict> {
    const {maxFeePerGas} = await this.#gas.fees();
    const spending = await this.#gas.spendingOf(payer, gas * maxFeePerGas);
    const refusal = await this.#ledger.contractRefusal(await this.#transactions.signer(), key, spending);
    if (refusal === 'over budget' && !this.#isOverBudget)
      this.#onTrouble(
        `Contract wallets have used their gas for today, or gas is low: their payments are refused, and FROZEN_MAX_CONTRACT_GAS_PERCENT sets how much they may use.`,
      );
    this.#isOverBudget = refusal === 'over budget';
    if (refusal === 'in flight') return {kind: 'unavailable'};
    return refusal ? {kind: 'invalid', reason: CONTRACT_REFUSALS[refusal]} : {kind: 'valid'};
  }

  /** Throws if a payment is on another chain than the node. */
  async #checkNetwork({network}: PaymentRequirements): Promise<void> {
    const signer = await this.#transactions.signer();
    if (signer.network !== network) throw new Error(`its chain is ${signer.network}, and the payment is on ${network}`);
  }

  /** Reports the same trouble once until a payment is verified. */
  #report(error: unknown): void {
    // Too little gas is reported with the balance.
    if (error instanceof OutOfGas) return;
    const trouble = `The settler ${this.#address} could not complete a payment: ${errorMessage(error)}`;
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#onTrouble(trouble);
  }

  /** Sends the transactions of ended processes again, and replaces stuck ones. Rejects if the ledger or the node fails. */
  async rebroadcast(): Promise<void> {
    const signer = await this.#transactions.signer();
    if (performance.now() >= this.#recountAt) {
      this.#mined = await this.#transactions.count();
      this.#recountAt = performance.now() + RECOUNT_MS;
    }
    const from = this.#mined;
    const reservations = await this.#ledger.reservations(signer, {from, limit: PAGE});
    if (reservations.length === 0) return;
    const [count, pending] = await Promise.all([
      this.#node.getTransactionCount({address: this.#address, blockTag: 'latest'}),
      this.#node.getTransactionCount({address: this.#address, blockTag: 'pending'}),
    ]);
    this.#mined = count;
    // The chain took blocks back. The reservations of their payments are read next time, so their nonces are not filled now.
    if (count < from) return;
    await rebroadcast(this.#transactions, this.#ledger, reservations, [count, pending]);
  }

  /** Begins the transaction of a payment, or continues one that another process began, and resolves when it is mined. */
  async #send(call: Call, order: Order): Promise<TransactionReceipt> {
    this.#recountAt = 0;
    const signer = await this.#transactions.signer();
    const [reserved, count] = await Promise.all([
      this.#ledger.reservations(signer, {from: 0, limit: PAGE, sale: order.key}),
      this.#transactions.count().catch(() => 0),
    ]);
    const unfilled = reserved.filter(each => !isFilled(each));
    // A reorganisation can open an earlier nonce of the sale again. Only this process may replace its transaction, and later ones wait for it.
    const open = unfilled.slice(unfilled.findIndex(({nonce}) => nonce >= count)); // the last one if all nonces are used
    for (;;) {
      let reservation = open.shift();
      if (reservation?.transactions.length) order.onSigning();
      else reservation = await this.#transactions.begin(call, order, reservation?.nonce);
      const receipt = await this.#transactions.wait(reservation, WAIT_MS, () => this.rebroadcast());
      if (receipt) return receipt;
      // Another transaction used the nonce.
    }
  }
}
