import {ExactEvmScheme} from '@x402/evm/exact/facilitator';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import type {TransactionReceipt} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../ledger/ledger.ts';
import {keyOf, type Payment} from '../payments/protocol/payment.ts';
import type {Facilitator, OnTrouble, Settlement, Verdict} from '../payments/facilitator/facilitator.ts';
import {codeOf, refusalOf} from '../payments/facilitator/http-facilitator.ts';
import {Gas} from './gas.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {nodeAt, type Node} from '../payments/chain/node.ts';
import {PaymentSigner} from './signer.ts';
import {isFilled, rebroadcast} from './rebroadcast.ts';
import {OutOfGas, TooMuchGas, Transactions, type Call} from './transactions.ts';

export interface SettlerOptions {
  /** Pays for the gas, and holds nothing else. */
  readonly account: PrivateKeyAccount;
  readonly rpcUrl: string;
  readonly ledger: Ledger;
  readonly onTrouble?: OnTrouble | undefined;
}

/** Longer than any buyer waits: while it lasts, a transaction that hangs is replaced. */
const WAIT_MS = 60_000;

/** Checks and settles payments itself, by x402's own code, with a node of the chain and a key that pays for the gas. */
export class Settler implements Facilitator {
  readonly host: string;
  readonly #address: PrivateKeyAccount['address'];
  readonly #node: Node;
  readonly #ledger: Ledger;
  readonly #transactions: Transactions;
  readonly #gas: Gas;
  readonly #onTrouble: OnTrouble;
  #trouble = '';
  #used = 0;

  constructor({account, rpcUrl, ledger, onTrouble = () => undefined}: SettlerOptions) {
    this.host = `self ${account.address}`;
    this.#address = account.address;
    this.#node = nodeAt(rpcUrl);
    [this.#ledger, this.#onTrouble] = [ledger, onTrouble];
    this.#transactions = new Transactions(account, this.#node, ledger, onTrouble);
    this.#gas = new Gas(account.address, this.#node, onTrouble);
  }

  /** Rejects where there is no gas for one more settlement, or the node does not answer. */
  async checkGas(): Promise<void> {
    if (!(await this.#gas.isEnough())) throw new Error(`${this.#address} has no gas for a settlement`);
  }

  async verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verdict> {
    const signer = new PaymentSigner(this.#address, this.#node, () => Promise.reject(new Error('nothing is sent')));
    try {
      await this.#checkNetwork(requirements);
      const [hasGas, answer] = await Promise.all([
        this.#gas.isEnough(),
        new ExactEvmScheme(signer).verify(payload, requirements),
      ]);
      if (signer.faults.length > 0) throw signer.faults[0];
      this.#trouble = '';
      if (!hasGas) return {kind: 'unavailable'};
      return answer.isValid ? {kind: 'valid'} : {kind: 'invalid', reason: codeOf(answer.invalidReason)};
    } catch (error) {
      this.#tell(error);
      return {kind: 'unavailable'};
    }
  }

  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement> {
    return this.#gas.during(() => this.#settle(payload, requirements));
  }

  async #settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement> {
    const progress = {mayBeSent: false};
    const key = keyOf(requirements, payload.payload as Payment['payload']);
    const signer = new PaymentSigner(this.#address, this.#node, call =>
      this.#send(call, key, () => {
        progress.mayBeSent = true;
      }),
    );
    try {
      await this.#checkNetwork(requirements);
      const answer = await new ExactEvmScheme(signer).settle(payload, requirements);
      const {network, payer} = answer;
      if (answer.success)
        return {
          kind: 'settled',
          receipt: {success: true, transaction: answer.transaction, network, ...(payer && {payer})},
        };
      if (signer.faults.length > 0) throw signer.faults[0];
      // A reverted transaction is public, so any party can send the authorization again.
      return progress.mayBeSent ? {kind: 'unknown'} : refusalOf(answer.errorReason);
    } catch (error) {
      if (error instanceof TooMuchGas) return {kind: 'declined', reason: 'transaction_needs_too_much_gas'};
      this.#tell(error);
      return {kind: progress.mayBeSent ? 'unknown' : 'unavailable'};
    }
  }

  /** By a settler, a payment is on the chain of its node, or nowhere. */
  async #checkNetwork({network}: PaymentRequirements): Promise<void> {
    const signer = await this.#transactions.signer();
    if (signer.network !== network) throw new Error(`its chain is ${signer.network}, and the payment is on ${network}`);
  }

  /** The same trouble is told once, until a payment is verified. */
  #tell(error: unknown): void {
    // Of too little gas, the balance tells.
    if (error instanceof OutOfGas) return;
    const trouble = `The settler ${this.#address} has left a payment: ${errorMessage(error)}`;
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#onTrouble(trouble);
  }

  /** Looks after transactions that nobody waits for. Rejects where ledger or node fail. */
  async tend(): Promise<void> {
    const signer = await this.#transactions.signer();
    const numbers = await this.#ledger.reservations(signer, this.#used);
    if (numbers.length === 0) return;
    const asked = (['latest', 'pending'] as const).map(blockTag =>
      this.#node.getTransactionCount({address: this.#address, blockTag}),
    );
    const [count = 0, pending = 0] = await Promise.all(asked);
    this.#used = count;
    await rebroadcast(this.#transactions, this.#ledger, numbers, [count, pending]);
  }

  /**
   * Begins the transaction of a payment, or continues one that another process began, and resolves when it is mined.
   *
   * @param onSent called when a transaction has been sent
   */
  async #send(call: Call, key: string, onSent: () => void): Promise<TransactionReceipt> {
    const before = (await this.#ledger.reservations(await this.#transactions.signer(), 0, key)).filter(
      numbered => !isFilled(numbered),
    );
    let numbered = before.at(-1);
    for (;;) {
      if (!numbered?.transactions.length) numbered = await this.#transactions.begin(call, key, numbered?.nonce);
      onSent();
      const receipt = await this.#transactions.wait(numbered, WAIT_MS, () => this.tend());
      if (receipt) return receipt;
      numbered = undefined; // another transaction used the number
    }
  }
}
