import type {FacilitatorEvmSigner} from '@x402/evm';
import {concat, encodeFunctionData, hashTypedData, hexToBytes, recoverAddress} from 'viem';
import type {Address, Hex, TransactionReceipt} from 'viem';
import {isByKey, type Recover} from '../payments/chain/signature.ts';
import {isRevert, isSignedByContract} from '../payments/chain/contract-signature.ts';
import type {Node} from '../payments/chain/node.ts';
import type {Call} from './transactions.ts';

/** Sends a call and resolves once it is mined. */
type Send = (call: Call) => Promise<TransactionReceipt>;

/**
 * What x402's own code checks and settles one payment with. That code takes a node that does not answer for a fault of the
 * payment, so the faults of the node are kept beside.
 */
export class PaymentSigner implements FacilitatorEvmSigner {
  /** Why the node did not answer, or nothing could be sent. */
  readonly faults: unknown[] = [];
  readonly #address: Address;
  readonly #node: Node;
  readonly #send: Send;
  #receipt: TransactionReceipt | undefined;

  constructor(address: Address, node: Node, send: Send) {
    [this.#address, this.#node, this.#send] = [address, node, send];
  }

  getAddresses(): readonly Address[] {
    return [this.#address];
  }

  readContract(call: Parameters<FacilitatorEvmSigner['readContract']>[0]): Promise<unknown> {
    return this.#noting(this.#node.readContract(call));
  }

  /** Never rejects: not every question of x402's is waited for. */
  getCode({address}: {address: Address}): Promise<Hex | undefined> {
    return this.#noting(this.#node.getCode({address})).catch(() => undefined);
  }

  /** True if the key of the account or its contract signed, as viem's `verifyTypedData`, which a Worker would take long to load. */
  async verifyTypedData(data: Parameters<FacilitatorEvmSigner['verifyTypedData']>[0]): Promise<boolean> {
    const {address, signature} = data;
    // The package describes typed data more loosely than viem does; the values are the same.
    const hash = hashTypedData(data as Parameters<typeof hashTypedData>[0]);
    const recover: Recover = (hash, signature) => recoverAddress({hash, signature});
    if (await isByKey(address, () => hexToBytes(hash), signature, recover)) return true;
    return this.#noting(isSignedByContract(this.#node, {address, hash, signature}));
  }

  /** Waits until the transaction is mined: its hash is not known before, for it may be replaced. */
  async writeContract(call: Parameters<FacilitatorEvmSigner['writeContract']>[0]): Promise<Hex> {
    const data = concat([encodeFunctionData(call), call.dataSuffix ?? '0x']);
    this.#receipt = await this.#noting(this.#send({to: call.address, data}));
    return this.#receipt.transactionHash;
  }

  waitForTransactionReceipt(): Promise<TransactionReceipt> {
    return this.#receipt ? Promise.resolve(this.#receipt) : Promise.reject(new Error('nothing was sent'));
  }

  /** Deploys contract wallets, at any price, for whoever asks: not here. */
  sendTransaction(): Promise<Hex> {
    return Promise.reject(new Error('no wallet is deployed'));
  }

  async #noting<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      if (!isRevert(error)) this.faults.push(error);
      throw error;
    }
  }
}
