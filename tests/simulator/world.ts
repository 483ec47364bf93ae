import {getAddress, parseEther, parseTransaction, type Address, type Hex} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {sleep} from '../../paywall/payments/services.ts';
import {buy, cheat, flood, isDocument, steal, type Account, type Intent} from './buyers.ts';
import {Chain, GAS, keyOf, RpcFault} from './chain.ts';
import type {Conditions} from './conditions.ts';
import {buyFrozen} from './frozen-buyer.ts';
import {SimulatedGate, type Answer} from './gate.ts';
import {forgetSignatures, newKey, quickKey, settlerAccount} from './keys.ts';
import type {SimulatedLedger} from './ledger.ts';
import {useOf, watchLedger, type Use} from './ledger-watch.ts';
import type {Handler, Network} from './network.ts';
import {answerRpc} from './node.ts';
import type {Random} from './random.ts';
import {collectBySignIn, downloadAgain, refundSometimes, stealBySignIn, type UsedSignIn} from './sign-ins.ts';
import {pathOf, siteOf, type Product, type Site} from './site.ts';

const BLOCK_MS = 2_000;
/** The interval in milliseconds at which the power may fail and a process may be stopped. */
const POWER_MS = 10_000;
const ENOUGH_GAS = parseEther('100');
/** The product that is a pass in some worlds. */
export const PASS = 'webhookbundle';
const PATIENCE_MS = 60_000;
/** The time with faults in milliseconds. After it all faults stop. */
export const FAULTS_MS = 3 * 60_000;

/**
 * Without faults, a gate with a node delivers a document within this time: half of the life of an authorization, in
 * milliseconds.
 */
const PROMPT_MS = 150_000;
/** The life of an authorization. A contract wallet with an open sale is refused only when its authorization is over. */
const AUTHORIZATION_MS = 300_000;

/** A violation of a rule that holds in every world. */
export class Violation extends Error {}

export interface WorldOptions {
  readonly random: Random;
  readonly network: Network;
  readonly storage: SimulatedLedger;
  readonly conditions: Conditions;
  readonly isTraced: boolean;
}

/** A document that a payer received, for a payment or because it signed in. */
export interface Delivery {
  readonly payer: string;
  readonly path: string;
  readonly version: number;
  readonly isBySignIn: boolean;
}

/** Everything that a simulation consists of. */
export class World {
  readonly random: Random;
  readonly conditions: Conditions;
  readonly chain: Chain;
  readonly ledger: Ledger;
  readonly accounts: Account[];
  readonly intents: Intent[] = [];
  /** The gates that take requests. */
  readonly gates: SimulatedGate[] = [];
  readonly events: string[] | undefined;
  /** The payees of the publisher so far. The last one is the current payee. */
  readonly payees: Address[] = [];
  /** The buyers' node of the chain, if there are nodes. */
  readonly rpcUrl: string | undefined;
  /** Set when all honest buyers have what they want: dishonest ones stop. */
  isEnding = false;
  /** The first violation. */
  violation: Violation | undefined;
  /** Authorizations that paid in some block, also in one that was taken back. */
  readonly everPaid = new Set<string>();
  /** Documents that payers received. */
  readonly deliveries: Delivery[] = [];
  /** Sign-ins that worked. */
  readonly usedSignIns: UsedSignIn[] = [];
  readonly network: Network;
  /** The account of gates that settle themselves. */
  readonly settler: PrivateKeyAccount | undefined;
  isFaulty = true;
  /** The gates, also those that are being stopped. */
  readonly #running = new Set<SimulatedGate>();
  readonly #storage: SimulatedLedger;
  readonly #start = Date.now();
  /** What the settler has recorded nonces for. */
  readonly #uses = new Map<number, Use>();
  #products: Product[];
  #site: Site;
  #gateNumber = 0;
  #open = 0;

  private constructor({random, network, storage, conditions, isTraced}: WorldOptions) {
    forgetSignatures();
    [this.random, this.network, this.#storage, this.conditions] = [random, network, storage, conditions];
    this.ledger = watchLedger(storage.ledger, this.#uses, {
      violate: rule => {
        this.violate(rule);
      },
      isPayable: sale => this.chain.isPayable(sale, this.payees),
    });
    this.#products = [
      {name: 'softfail3', price: '$0.02', version: 1},
      {name: PASS, price: '$0.15', version: 1, ...(conditions.passes && {next: random.integer(1, 3)})},
    ];
    this.rpcUrl = conditions.hasNode ? network.serve('buyers.node', this.answerNode) : undefined;
    this.events = isTraced ? [] : undefined;
    this.#site = this.#publish();
    const {buyers, cheats, thieves, frozenBuyers} = this.conditions;
    const count = buyers + cheats + thieves + frozenBuyers;
    const keys = Array.from({length: count}, () => (this.conditions.hasRealKeys ? newKey(random) : quickKey(random)));
    // Without a node, the gate refuses the signature of a contract wallet that has the length of a key's.
    const wallets = this.conditions.hasNode ? 0.2 : 0;
    const walletOwners = keys.map(key => (random.chance(wallets) ? random.hex(20) : key.address));
    this.accounts = keys.map((key, index) => ({key, address: getAddress(walletOwners[index] as Address)}));
    const balances = new Map(this.accounts.map(({address}) => [address.toLowerCase(), 10_000_000n]));
    this.chain = new Chain(random, balances, random.integer(-2_000, 2_000));
    for (const {address, key} of this.accounts)
      if (address.toLowerCase() !== key.address.toLowerCase())
        this.chain.wallets.set(address.toLowerCase(), {owner: key.address});
    if (!this.conditions.settles) return;
    this.settler = settlerAccount(random);
    this.chain.granted = random.chance(0.3) ? GAS * this.chain.baseFee * BigInt(random.integer(0, 400)) : ENOUGH_GAS;
  }

  /** Opens a world with its gates, and starts its chain and its actors. */
  static open(options: WorldOptions): World {
    const world = new World(options);
    const {random} = options;
    const {gates, buyers, cheats, frozenBuyers, intentsPerBuyer, powerFailures, stops, newBuilds, downloads, refunds} =
      world.conditions;
    for (let count = 0; count < gates; count++) world.#startGate();
    setInterval(() => {
      world.#mine();
    }, BLOCK_MS);
    setInterval(() => {
      if (world.isFaulty && random.chance(powerFailures)) world.#failPower();
      if (world.isFaulty && random.chance(stops)) void world.#stop(world.anyGate());
    }, POWER_MS);
    if (newBuilds)
      setInterval(
        () => {
          world.#build();
        },
        random.integer(10_000, 60_000),
      );
    if (refunds > 0) void refundSometimes(world);
    const paths = world.#products.map(pathOf);
    if (world.conditions.flood)
      setTimeout(() => void flood(world, random.pick(paths)), random.integer(0, FAULTS_MS / 2));
    for (const [index, account] of world.accounts.entries()) {
      if (index < buyers) world.#run(world.#buyAll(account, intentsPerBuyer));
      else if (index < buyers + cheats) void cheat(world, account, paths);
      else if (index < buyers + cheats + frozenBuyers) world.#run(world.#buyFrozen(account, paths));
      else {
        void steal(world, account, paths);
        if (downloads > 0) void stealBySignIn(world, account, paths);
      }
    }
    return world;
  }

  /** Returns true if all honest buyers have what they want. */
  get isDone(): boolean {
    return this.#open === 0;
  }

  /** Ends all faults: from now on every host answers correctly. */
  stopFaults(): void {
    this.isFaulty = false;
    if (this.settler) this.chain.granted += ENOUGH_GAS;
    this.trace(() => 'all faults stop');
  }

  /** Requests a path of a gate, with the patience of this world's clients. */
  async get(gate: SimulatedGate, path: string, headers: Readonly<Record<string, string>>): Promise<Answer | undefined> {
    const hangsUp = this.isFaulty && this.random.chance(this.conditions.hangUps);
    const answer = await gate.get(path, headers, hangsUp ? this.random.integer(0, 10_000) : PATIENCE_MS);
    this.trace(() => `${gate.name} answers ${answer?.status ?? 'nothing'} for ${path} ${Object.keys(headers).join()}`);
    return answer;
  }

  anyGate(): SimulatedGate {
    return this.random.pick(this.gates);
  }

  /** Records an event if this run is traced. */
  trace(event: () => string): void {
    this.events?.push(`${String(Date.now() - this.#start).padStart(7)} ${event()}`);
  }

  violate(rule: string): void {
    this.trace(() => `VIOLATION: ${rule}`);
    this.violation ??= new Violation(rule);
  }

  noteDelivery(payer: string, path: string, text: string, isBySignIn = false): void {
    if (!isDocument(path, text)) this.violate(`${payer} received another text for ${path}: ${text}`);
    const {version} = JSON.parse(text) as {version: number};
    this.deliveries.push({payer, path, version, isBySignIn});
    this.trace(() => `${payer} received ${path}`);
  }

  async #buyAll(account: Account, count: number): Promise<void> {
    const {random} = this;
    for (let index = 0; index < count; index++) {
      await sleep(random.integer(0, 6_000));
      const intent: Intent = {payer: account.address, path: pathOf(random.pick(this.#products)), nonces: []};
      this.intents.push(intent);
      const end = Math.max(Date.now(), this.#start + FAULTS_MS) + PROMPT_MS;
      await buy(this, account, intent, random.pick(['stock', 'stock', 'named', 'named', 'double']));
      if (this.conditions.hasNode && Date.now() > end + (intent.isRefused ? AUTHORIZATION_MS : 0))
        this.violate(`${account.address} waited too long for ${intent.path}`);
      if (random.chance(this.conditions.downloads)) await downloadAgain(this, account, intent);
      if (this.conditions.passes && random.chance(0.2)) await collectBySignIn(this, account, pathOf({name: PASS}));
    }
  }

  async #buyFrozen(account: Account, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      await sleep(this.random.integer(0, 60_000));
      const intent: Intent = {payer: account.address, path, nonces: []};
      this.intents.push(intent);
      await buyFrozen(this, account, intent);
    }
  }

  #mine(): void {
    const {random, chain, conditions} = this;
    if (this.settler && this.isFaulty && random.chance(conditions.settlerFaults)) {
      const lost = chain.mempool.filter(({order}) => order !== undefined);
      if (lost.length > 0 && random.chance(0.7)) {
        const {order, hash} = random.pick(lost);
        this.trace(() => `the transaction ${hash} with the nonce ${order?.nonce} is lost`);
        chain.mempool = chain.mempool.filter(each => each.hash !== hash);
      } else {
        const order = {nonce: chain.pendingNonce, maxFee: 3n * chain.baseFee};
        this.trace(() => `the publisher uses the nonce ${order.nonce} of the settler`);
        chain.broadcast({kind: 'nothing'}, {order});
      }
    }
    chain.mine();
    for (const {transaction, isSuccess} of chain.head.mined) {
      const {call, order} = transaction;
      const [payer, nonce] =
        call.kind === 'transfer'
          ? [call.authorization.from, call.authorization.nonce]
          : call.kind === 'cancel'
            ? [call.from, call.nonce]
            : ['', ''];
      const outcome = isSuccess ? 'succeeds' : 'reverts';
      this.trace(() => `block ${chain.head.number}: ${order?.nonce ?? ''} ${call.kind} ${payer} ${nonce} ${outcome}`);
      if (isSuccess && call.kind === 'transfer' && this.payees.includes(call.authorization.to))
        this.everPaid.add(keyOf(payer, nonce));
    }
    if (!this.isFaulty || !random.chance(conditions.reorganisations)) return;
    const depth = random.chance(0.1) ? random.integer(5, 45) : random.integer(1, 4);
    this.trace(() => `the chain takes ${depth} blocks back`);
    chain.reorganise(depth, 0.3);
  }

  /** Ends all processes at once, and what the disk of the ledger has not synced. */
  #failPower(): void {
    this.trace(() => 'the power fails');
    this.#storage.memory.failPower();
    for (const gate of [...this.#running]) this.kill(gate);
  }

  #run(work: Promise<void>): void {
    this.#open += 1;
    void work.then(
      () => (this.#open -= 1),
      (error: unknown) => {
        this.violate(`a client failed: ${String(error)}`);
      },
    );
  }

  /** Starts another process over the same ledger. */
  #startGate(): void {
    const gate = new SimulatedGate(this, ++this.#gateNumber);
    gate.publish(this.#site);
    this.gates.push(gate);
    this.#running.add(gate);
    this.trace(() => `${gate.name} starts`);
  }

  /** Ends a process, as SIGKILL does; another one starts at once. */
  kill(gate: SimulatedGate): void {
    if (!gate.isAlive) return;
    this.trace(() => `${gate.name} dies`);
    this.#end(gate);
    if (this.gates.includes(gate)) this.#replace(gate);
  }

  /** Stops a process, as SIGTERM does, while another one takes over. */
  async #stop(gate: SimulatedGate): Promise<void> {
    this.trace(() => `${gate.name} stops`);
    this.#replace(gate);
    await gate.completed();
    if (!gate.isAlive) return;
    this.#end(gate);
    if (gate.settling.size > 0) this.violate(`${gate.name} has stopped during a settlement`);
  }

  #end(gate: SimulatedGate): void {
    gate.die();
    this.#running.delete(gate);
  }

  #replace(gate: SimulatedGate): void {
    this.#startGate();
    this.gates.splice(this.gates.indexOf(gate), 1);
  }

  /** Returns the site of the products. Sometimes the publisher has another payee. */
  #publish(): Site {
    const payTo = this.payees.at(-1);
    if (payTo === undefined || this.random.chance(0.2)) this.payees.push(getAddress(this.random.hex(20)));
    return siteOf(this.#products, this.payees.at(-1) as Address);
  }

  /** Publishes another snapshot or price of a product. */
  #build(): void {
    const changed = this.random.pick(this.#products);
    const price = this.random.pick(['$0.01', '$0.02', '$0.15']);
    const next = this.random.integer(0, 3);
    this.#products = this.#products.map(product =>
      product === changed
        ? {...product, price, version: product.version + 1, ...(product.next !== undefined && {next})}
        : product,
    );
    this.trace(() => `${changed.name} is built again`);
    this.#site = this.#publish();
    for (const gate of [...this.gates]) gate.publish(this.#site);
  }

  /** Reports if the settler fills a nonce with which it may have sent a payment. */
  #checkUse(transaction: Hex): void {
    const {nonce = 0} = parseTransaction(transaction);
    if (useOf(transaction) === 'filler' && this.#uses.get(nonce) === 'payment')
      this.violate(`the settler fills the nonce ${nonce}, with which it signed a payment`);
  }

  readonly answerNode: Handler = async ({body}) => {
    const {id, method, params} = JSON.parse(body) as {id: number; method: string; params: unknown[]};
    const {random, conditions} = this;
    const isFaulty = this.isFaulty && random.chance(conditions.nodeFaults);
    const fault = isFaulty
      ? random.pick(['behind', 'behind', 'slow', '429', '500', 'never', 'error'] as const)
      : 'none';
    if (isFaulty) this.trace(() => `the node is asked for ${method}: ${fault}`);
    const answer = (rest: object) => Response.json({jsonrpc: '2.0', id, ...rest});
    if (fault === 'never') await new Promise(() => undefined);
    if (fault === 'slow') await sleep(random.integer(0, 4_000));
    if (fault === '429' || fault === '500') return new Response('try again', {status: Number(fault)});
    if (fault === 'error') return answer({error: {code: -32000, message: 'header not found'}});
    const lag = fault === 'behind' ? random.integer(1, 30) : 0;
    if (method === 'eth_sendRawTransaction') this.#checkUse(params[0] as Hex);
    try {
      return answer({result: answerRpc(this.chain, lag, method, params)});
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error;
      return answer({error: {code: error.code, message: error.message}});
    }
  };
}
