import type {FacilitatorEvmSigner} from '@x402/evm';
import {concat, encodeFunctionData, hashTypedData, hexToBytes, isAddressEqual, recoverAddress} from 'viem';
import type {Address, Hex, TransactionReceipt} from 'viem';
import {isByKey, type Recover} from '../payments/chain/signature.ts';
import {isRevert, isSignedByContract} from '../payments/chain/contract-signature.ts';
import type {Node} from '../../shared/evm/node.ts';
import type {Call} from './order.ts';

/** The functions for the transfer of a payment. */
export interface Transfer {
  /** Returns the gas of a call that would succeed. */
  readonly estimate?: (call: Call) => Promise<bigint>;
  /** Sends a call and resolves once it is mined. */
  readonly send?: (call: Call) => Promise<TransactionReceipt>;
}

/**
 * The signer with which x402's own code checks and settles one payment. That code mistakes a failure of the node for an invalid payment,
 * so the failures are recorded in `faults`.
 */
export class PaymentSigner implements FacilitatorEvmSigner {
  /** The failures of the node and of sending. */
  readonly faults: unknown[] = [];
  /** The gas of the transfer, once it is estimated. */
  gas: bigint | undefined;
  /** True if the payer's address has code. Then the token asks the contract, even if a key signed (EIP-7702). */
  isContract = false;
  readonly #address: Address;
  readonly #payer: Address;
  readonly #node: Node;
  readonly #transfer: Transfer;
  #receipt: TransactionReceipt | undefined;

  constructor(address: Address, payer: Address, node: Node, transfer: Transfer) {
    [this.#address, this.#payer, this.#node, this.#transfer] = [address, payer, node, transfer];
  }

  getAddresses(): readonly Address[] {
    return [this.#address];
  }

  /** Estimates the transfer instead of only simulating it. */
  async readContract(call: Parameters<FacilitatorEvmSigner['readContract']>[0]): Promise<unknown> {
    const {estimate} = this.#transfer;
    if (call.functionName !== 'transferWithAuthorization' || !estimate)
      return this.#noting(this.#node.readContract(call));
    this.gas = await this.#noting(estimate({to: call.address, data: encodeFunctionData(call)}));
    return undefined;
  }

  /** Never rejects, because x402 does not await every answer. */
  async getCode({address}: {address: Address}): Promise<Hex | undefined> {
    const code = await this.#noting(this.#node.getCode({address})).catch(() => undefined);
    if (code !== undefined && code !== '0x' && isAddressEqual(address, this.#payer)) this.isContract = true;
    return code;
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

  /** Waits until the transaction is mined: its hash is not known before, because it may be replaced. */
  async writeContract(call: Parameters<FacilitatorEvmSigner['writeContract']>[0]): Promise<Hex> {
    const {send} = this.#transfer;
    if (!send) throw new Error('nothing is sent');
    const data = concat([encodeFunctionData(call), call.dataSuffix ?? '0x']);
    this.#receipt = await this.#noting(send({to: call.address, data}));
    return this.#receipt.transactionHash;
  }

  waitForTransactionReceipt(): Promise<TransactionReceipt> {
    return this.#receipt ? Promise.resolve(this.#receipt) : Promise.reject(new Error('nothing was sent'));
  }

  /** x402 uses this to deploy contract wallets, which could cost any amount of gas. */
  sendTransaction(): Promise<Hex> {
    return Promise.reject(new Error('no wallet is deployed'));
  }

  async #noting<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!isRevert(error)) this.faults.push(error);
      throw error;
    }
  }
}
