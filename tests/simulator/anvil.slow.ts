import assert from 'node:assert/strict';
import {mock, test} from 'node:test';
import {secp256k1} from '@bitauth/libauth';
import {
  createPublicClient,
  custom,
  encodeFunctionData,
  getAddress,
  hashTypedData,
  hexToBytes,
  http,
  keccak256,
  pad,
  parseAbi,
  parseSignature,
  serializeSignature,
  type HashTypedDataParameters,
  type Hex,
  type PublicClient,
} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import {isSignedByContract} from '../../paywall/payments/chain/contract-signature.ts';
import {statusesOf} from '../../shared/evm/authorization-status.ts';
import type {Node} from '../../shared/evm/node.ts';
import {startChain, type LocalChain as Anvil, receiptOf} from '../../scripts/local-chain/chain.ts';
import {compile} from '../contracts/solidity.ts';
import {cancellationOf} from '../paywall/calldata.ts';
import {Chain, type Call, type Transaction, type Transfer} from './chain.ts';
import {digestOf, NETWORK, TOKEN, type Account, type Authorization} from './keys.ts';
import {answerRpc} from './node.ts';
import {Random} from './random.ts';

// The simulated chain and its token against Anvil with the same random histories, as the queries of the gate see them.

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));
const HISTORIES = 3;
const BLOCKS = 25;
const BALANCE = 1_000n;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const abi = parseAbi([
  'function mint(address to, uint256 value)',
  'function balanceOf(address account) view returns (uint256)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);

/** One history on both chains. */
class Twins {
  /** The outcomes of authorizations and transactions. */
  readonly outcomes = new Set<string>();
  readonly #random: Random;
  readonly #anvil: Anvil;
  readonly #model: Chain;
  readonly #clients: readonly PublicClient[];
  readonly #accounts: readonly Account[];
  readonly #calls: Transfer[] = [];
  /** Anvil's name for each transaction of the model, and its number of the model's first block. */
  readonly #hashes = new Map<Hex, Hex>();
  readonly #first: number;

  constructor(random: Random, anvil: Anvil, accounts: readonly Account[], first: number) {
    [this.#random, this.#anvil, this.#accounts, this.#first] = [random, anvil, accounts, first];
    this.#model = new Chain(random, accounts, BALANCE, 0);
    const request = ({method, params}: {method: string; params?: unknown}) =>
      Promise.resolve(answerRpc(this.#model, 0, method, params as unknown[]));
    this.#clients = [http(anvil.rpcUrl), custom({request})].map(transport =>
      createPublicClient({transport, cacheTime: 0}),
    );
  }

  /** Mines the same transactions on both, after a reorganisation in some cases. */
  async mine(): Promise<void> {
    const {head} = this.#model;
    if (this.#random.chance(0.2)) this.#model.reorganise(this.#random.integer(1, 4), 0.3);
    const depth = head.number - this.#model.head.number;
    const rollback = {method: 'anvil_rollback', params: [depth]} as const;
    if (depth > 0) await this.#anvil.client.request<{Method: string; Parameters: unknown; ReturnType: null}>(rollback);
    for (let count = this.#random.integer(0, 4); count > 0; count--) this.#model.broadcast(this.#call());
    mock.timers.setTime(Date.now() + this.#random.integer(1, 20) * 1000);
    this.#model.mine();
    const {mined, timestamp} = this.#model.head;
    const {account} = this.#anvil.client;
    let nonce = await this.#anvil.client.getTransactionCount({address: account.address});
    for (const transaction of mined) {
      const order = {account, chain: null, gas: 500_000n, nonce: nonce++};
      const sent = {...order, to: TOKEN, data: await this.#dataOf(transaction)};
      this.#hashes.set(transaction.hash, await this.#anvil.client.sendTransaction(sent));
    }
    await this.#anvil.client.setNextBlockTimestamp({timestamp: BigInt(timestamp)});
    await this.#anvil.client.mine({blocks: 1});
  }

  /** Compares what both chains answer to the queries of the gate. */
  async compare(): Promise<void> {
    const [real, simulated] = await Promise.all(this.#clients.map(client => this.#answers(client)));
    const text = (answers: unknown) =>
      JSON.stringify(answers, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 1);
    // Both name transactions and number blocks in their own ways.
    const named = [...this.#hashes].reduce((all, [own, theirs]) => all.replaceAll(own, theirs), text(simulated));
    assert.equal(named, text(real));
    for (const outcome of real?.outcomes ?? []) this.outcomes.add(outcome);
  }

  async #answers(client: PublicClient) {
    const isReal = client === this.#clients[0];
    const shift = isReal ? this.#first : 0;
    const sales = this.#calls.map(({authorization: {from, to, value, nonce, validBefore}}) => ({
      ...{network: NETWORK, asset: TOKEN, payer: from.toLowerCase(), payTo: to, amount: String(value), nonce},
      validBefore: Number(validBefore),
    }));
    const statuses = sales.length > 0 ? await statusesOf(client as unknown as Node, sales, 0) : [];
    const {number, timestamp} = await client.getBlock();
    const filter = {address: TOKEN, fromBlock: `0x${(shift + 1).toString(16)}`, toBlock: 'latest'} as const;
    const logs = await client.request({method: 'eth_getLogs', params: [filter]});
    const balanceOf = ({address}: Account) =>
      client.readContract({abi, address: TOKEN, functionName: 'balanceOf', args: [address]});
    const hashes = this.#model.blocks.flatMap(({mined}) => mined.map(({hash}) => hash));
    const receipts = await Promise.all(
      hashes.map(hash => client.getTransactionReceipt({hash: isReal ? (this.#hashes.get(hash) ?? hash) : hash})),
    );
    return {
      outcomes: [...statuses.map(({kind}) => kind), ...receipts.map(({status}) => status)],
      head: [Number(number) - shift, timestamp],
      // When a block is final differs from chain to chain.
      statuses: statuses.map(status => ({...status, isFinal: undefined})),
      balances: await Promise.all(this.#accounts.map(balanceOf)),
      logs: logs.map(({topics, data, logIndex, transactionHash, blockNumber}) => [
        ...[topics, data, logIndex, transactionHash, Number(blockNumber) - shift],
      ]),
      receipts: receipts.map(({status, blockNumber, logs}) => [
        ...[status, Number(blockNumber) - shift, logs.map(({logIndex}) => logIndex)],
      ]),
      codes: await Promise.all(
        this.#accounts.map(async ({address}) => (await client.getCode({address})) !== undefined),
      ),
      signed: await Promise.all(this.#calls.slice(-4).map(call => this.#isSigned(client, call))),
    };
  }

  async #isSigned(client: PublicClient, {authorization, signature}: Transfer): Promise<boolean | undefined> {
    const address = authorization.from;
    // The gate only asks contracts.
    if (!this.#model.wallets.has(address.toLowerCase())) return undefined;
    return isSignedByContract(client, {address, signature, hash: digestOf(authorization)});
  }

  #call(): Call {
    const random = this.#random;
    const previous = this.#calls.length > 0 && random.chance(0.4) ? random.pick(this.#calls) : undefined;
    if (previous && random.chance(0.4)) return {kind: 'cancel', authorization: previous.authorization};
    if (previous && random.chance(0.4)) return previous;
    const account = random.pick(this.#accounts);
    const now = Math.floor(Date.now() / 1000);
    const authorization: Authorization = {
      from: account.address,
      to: random.pick(this.#accounts).address,
      value: BigInt(random.pick([0, 1, 100, 900, 1001])),
      validAfter: BigInt(random.pick([0, 0, now, now + 10])),
      validBefore: BigInt(now + random.pick([0, 10, 60, 600])),
      // Another payee, or another payer, with the nonce of an earlier authorization.
      nonce: previous?.authorization.nonce ?? random.hex(32),
    };
    const signature = this.#signatureOf(random.chance(0.9) ? account : random.pick(this.#accounts), authorization);
    const call: Transfer = {kind: 'transfer', authorization, signature};
    this.#calls.push(call);
    return call;
  }

  /** A signature, or one of the forms that the token refuses. */
  #signatureOf({sign}: Account, authorization: Authorization): Hex {
    const signature = sign(digestOf(authorization));
    const {r, s, yParity} = parseSignature(signature);
    if (this.#random.chance(0.7)) return signature;
    const withoutParity = signature.slice(0, -2) as Hex;
    const mirrored = serializeSignature({r, s: pad(`0x${(ORDER - BigInt(s)).toString(16)}`), yParity: 1 - yParity});
    return this.#random.pick([mirrored, `${withoutParity}0${yParity}` as const, withoutParity, this.#random.hex(65)]);
  }

  async #dataOf({call}: Transaction): Promise<Hex> {
    if (call.kind === 'nothing') return '0x';
    if (call.kind === 'cancel') {
      const {from, nonce} = call.authorization;
      const owner = this.#accounts.find(({address}) => address === from);
      const signTypedData = (data: HashTypedDataParameters) => Promise.resolve(owner?.sign(hashTypedData(data)));
      return cancellationOf(nonce, {address: from, signTypedData} as PrivateKeyAccount);
    }
    const {from, to, value, validAfter, validBefore, nonce} = call.authorization;
    const args = [from, to, value, validAfter, validBefore, nonce, call.signature] as const;
    return encodeFunctionData({abi, functionName: 'transferWithAuthorization', args});
  }
}

/** A key pair that signs at once, unlike an account of viem. */
function newKey(random: Random): Account {
  const secret = random.bytes(32);
  const publicKey = secp256k1.derivePublicKeyUncompressed(secret);
  if (typeof publicKey === 'string') throw new Error(publicKey);
  const address: Hex = `0x${keccak256(publicKey.subarray(1)).slice(-40)}`;
  return {
    ...{address, keyAddress: address},
    sign(hash) {
      const signed = secp256k1.signMessageHashRecoverableCompact(secret, hexToBytes(hash));
      if (typeof signed === 'string') throw new Error(signed);
      return `0x${Buffer.from(signed.signature).toString('hex')}${(27 + signed.recoveryId).toString(16)}`;
    },
  };
}

test(`the simulated chain is Anvil's equal in ${HISTORIES} random histories (SEED=${SEED})`, async t => {
  await using anvil = await startChain();
  const wallet = await compile('wallet.sol', 'KeyWallet');
  for (let history = 0; history < HISTORIES; history++) {
    const random = new Random(SEED + history);
    const {client} = anvil;
    await client.setAutomine(true);
    const accounts: Account[] = [];
    for (let count = 0; count < 5; count++) {
      const key = newKey(random);
      const address = getAddress(count < 3 ? key.address : random.hex(20));
      accounts.push({...key, address});
      if (count >= 3) {
        await client.setCode({address, bytecode: wallet});
        await client.setStorageAt({address, index: 0, value: pad(key.address)});
      }
      const minting = {abi, address: TOKEN, functionName: 'mint', args: [address, BALANCE]} as const;
      await receiptOf(client, await client.writeContract(minting));
    }
    await client.setAutomine(false);
    const {number, timestamp} = await client.getBlock();
    mock.timers.enable({apis: ['Date'], now: Number(timestamp) * 1000});
    t.after(() => {
      mock.timers.reset();
    });
    const twins = new Twins(random, anvil, accounts, Number(number));
    for (let block = 0; block < BLOCKS; block++) {
      await twins.mine();
      await twins.compare();
    }
    mock.timers.reset();
    assert.deepEqual([...twins.outcomes].sort(), ['paid', 'reverted', 'success', 'unused', 'used elsewhere']);
  }
});
