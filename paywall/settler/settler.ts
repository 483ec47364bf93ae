import {ExactEvmScheme} from '@x402/evm/exact/facilitator';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {keccak256, type Hash, type TransactionReceipt} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../ledger/ledger.ts';
import {claimIn} from '../payments/claim.ts';
import {ClockWatch} from '../payments/clock.ts';
import type {Facilitator, OnTrouble, Settlement, Verdict} from '../payments/facilitator.ts';
import {codeOf} from '../payments/http-facilitator.ts';
import {VerifyRoom} from '../payments/verify-room.ts';
import {Gas} from './gas.ts';
import {nodeAt, wordsOfNode, type Node} from './node.ts';
import {PaymentSigner} from './signer.ts';
import {isFilled, tend} from './tend.ts';
import {OutOfGas, TooMuchGas, Transactions, type Call, type Sending} from './transactions.ts';

export interface SettlerOptions {
  /** Pays for the gas, and holds nothing else. */
  readonly account: PrivateKeyAccount;
  readonly rpcUrl: string;
  readonly ledger: Ledger;
  readonly onTrouble?: OnTrouble | undefined;
}

/** What became of the transaction of a payment. */
interface Mined {
  readonly receipt: TransactionReceipt;
  /** Whether no former number was lost to a transaction that others sent with the key. */
  readonly isFirst: boolean;
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
  readonly #clock: ClockWatch;
  readonly #room = new VerifyRoom();
  readonly #onTrouble: OnTrouble;
  #trouble = '';
  #used = 0;

  constructor({account, rpcUrl, ledger, onTrouble = () => undefined}: SettlerOptions) {
    this.host = `self ${account.address}`;
    this.#address = account.address;
    this.#clock = new ClockWatch("the chain's node", onTrouble);
    this.#node = nodeAt(rpcUrl, this.#clock.hear);
    [this.#ledger, this.#onTrouble] = [ledger, onTrouble];
    this.#transactions = new Transactions(account, this.#node, ledger, onTrouble);
    this.#gas = new Gas(account.address, this.#node, onTrouble);
  }

  /** By the clock of the node. */
  clockIsOff(): Promise<boolean> {
    return this.#clock.isOff(() => this.#node.getChainId().catch(() => undefined));
  }

  /** Rejects where there is no gas for one more settlement, or the node does not answer. */
  async checkGas(): Promise<void> {
    if (!(await this.#gas.isEnough())) throw new Error(`${this.#address} has no gas for a settlement`);
  }

  async verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verdict> {
    const verdict = await this.#room.run(payload, () => this.#verify(payload, requirements));
    return verdict ?? {kind: 'unavailable'};
  }

  async #verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verdict> {
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

  settle(payload: PaymentPayload, requirements: PaymentRequirements, sending: Sending): Promise<Settlement> {
    return this.#gas.during(() => this.#settle(payload, requirements, sending));
  }

  async #settle(payload: PaymentPayload, requirements: PaymentRequirements, sending: Sending): Promise<Settlement> {
    const sent = new Set<Hash>();
    let last: Mined | undefined;
    const signer = new PaymentSigner(this.#address, this.#node, async call => {
      last = await this.#send(call, claimIn(payload).key, async hash => {
        await sending(hash);
        sent.add(hash);
      });
      return last.receipt;
    });
    try {
      await this.#checkNetwork(requirements);
      const answer = await new ExactEvmScheme(signer).settle(payload, requirements);
      const {network, payer} = answer;
      if (answer.success)
        return {
          kind: 'settled',
          receipt: {success: true, transaction: answer.transaction, network, ...(payer && {payer})},
        };
      if (last?.receipt.status === 'reverted' && last.isFirst)
        return {kind: 'refused', reason: codeOf(answer.errorReason)};
      if (sent.size > 0) return {kind: 'unknown', sent: [...sent]};
      if (signer.faults.length === 0) return {kind: 'refused', reason: codeOf(answer.errorReason)};
      throw signer.faults[0];
    } catch (error) {
      if (error instanceof TooMuchGas && sent.size === 0)
        return {kind: 'refused', reason: 'transaction_needs_too_much_gas'};
      this.#tell(error);
      return sent.size > 0 ? {kind: 'unknown', sent: [...sent]} : {kind: 'unavailable'};
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
    const trouble = `The settler ${this.#address} has left a payment: ${wordsOfNode(error)}`;
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#onTrouble(trouble);
  }

  /** Looks after transactions that nobody waits for. Rejects where ledger or node fail. */
  async tend(): Promise<void> {
    const signer = await this.#transactions.signer();
    const numbers = await this.#ledger.numbers(signer, this.#used);
    if (numbers.length === 0) return;
    const asked = (['latest', 'pending'] as const).map(blockTag =>
      this.#node.getTransactionCount({address: this.#address, blockTag}),
    );
    const [count = 0, pending = 0] = await Promise.all(asked);
    this.#used = count;
    await tend(this.#transactions, this.#ledger, numbers, [count, pending]);
  }

  /** Begins the transaction of a payment, or goes on with one that another process has begun, until it is mined. */
  async #send(call: Call, key: string, sending: Sending): Promise<Mined> {
    const before = (await this.#ledger.numbers(await this.#transactions.signer(), 0, key)).filter(
      numbered => !isFilled(numbered),
    );
    for (const {signed} of before) for (const transaction of signed) await sending(keccak256(transaction));
    let numbered = before.at(-1);
    for (let lost = Math.max(before.length - 1, 0); ; lost++) {
      if (!numbered?.signed.length) numbered = await this.#transactions.begin(call, key, sending, numbered?.nonce);
      const receipt = await this.#transactions.wait(numbered, WAIT_MS, sending, () => this.tend());
      if (receipt) return {receipt, isFirst: lost === 0};
      numbered = undefined;
    }
  }
}
