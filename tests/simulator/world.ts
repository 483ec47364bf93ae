import {getAddress, parseEther, parseTransaction, type Address, type Hex} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {sleep} from '../../paywall/payments/services.ts';
import {buy, cheat, flood, steal, type Intent} from './buyers.ts';
import {Chain, chargesIn, GAS, keyOf, RpcFault} from './chain.ts';
import type {Conditions} from './conditions.ts';
import {buyFrozen} from './frozen-buyer.ts';
import {SimulatedGate} from './gate.ts';
import {forgetSignatures, quickKey, settlerAccount, type Account} from './keys.ts';
import type {SimulatedLedger} from './ledger.ts';
import {watchLedger} from './ledger-watch.ts';
import {Network, type Handler} from './network.ts';
import {answerRpc} from './node.ts';
import type {Random} from './random.ts';
import {collectBySignIn, downloadAgain, refundSometimes, stealBySignIn} from './sign-ins.ts';
import {pathOf, siteOf, textOf, type Product, type Site} from './site.ts';

const NODE_FAULTS = ['behind', 'behind', 'slow', '429', '500', 'never', 'error'] as const;
const [BLOCK_MS, PATIENCE_MS] = [2_000, 60_000];
/** The interval in milliseconds at which the power may fail and a process may be stopped. */
const POWER_MS = 10_000;
const ENOUGH_GAS = parseEther('100');
/** The product that is a pass in some worlds. */
export const PASS = 'webhookbundle';
/** Without faults, a gate with a node delivers a document within this time, in milliseconds. A client may be away for a part of it. */
const PROMPT_MS = 270_000;
/** The life of an authorization. A contract wallet with an open sale is refused only when its authorization is over. */
const AUTHORIZATION_MS = 300_000;

/** Everything that a simulation consists of. */
export class World {
  readonly random: Random;
  readonly conditions: Conditions;
  readonly network: Network;
  readonly events: string[] | undefined;
  readonly chain: Chain;
  readonly ledger: Ledger;
  readonly accounts: Account[];
  readonly intents: Intent[] = [];
  /** The gates that take requests. */
  readonly gates: SimulatedGate[] = [];
  /** The payees of the publisher so far. The last one is the current payee. */
  readonly payees: Address[] = [];
  /** The buyers' node of the chain, if there are nodes. */
  readonly rpcUrl: string | undefined;
  /** Set when all honest buyers have what they want: dishonest ones stop. */
  isEnding = false;
  violation: string | undefined;
  /** Authorizations that paid in some block, also in one that was taken back. */
  readonly everPaid = new Set<string>();
  /** Documents that payers received, for a payment or because they signed in. */
  readonly deliveries: {payer: string; path: string; version: number; isBySignIn: boolean}[] = [];
  /** Sign-ins that worked. A thief may have their headers. */
  readonly usedSignIns: {header: string; path: string; digest: string}[] = [];
  /** The account of gates that settle themselves. */
  readonly settler: PrivateKeyAccount | undefined;
  isFaulty = true;
  /** The number of honest buyers that do not have what they want. */
  waiting = 0;
  /** All gates, also those that were stopped. */
  readonly #started: SimulatedGate[] = [];
  readonly #start = Date.now();
  readonly #memory: SimulatedLedger['memory'];
  /** Hosts that have the same fault for a while, and the newest block when it began. */
  readonly #outages = new Map<string, {readonly fault: string; readonly until: number; readonly block: number}>();
  readonly #products: readonly Product[];
  /** What each nonce of the settler is used for, and the number of its recorded transactions. A filler pays for nothing. */
  readonly signed = new Map<number, {readonly use: string; readonly count: number}>();
  #site: Site;

  constructor(random: Random, conditions: Conditions, {ledger, memory}: SimulatedLedger, isTraced: boolean) {
    forgetSignatures();
    [this.random, this.conditions, this.#memory] = [random, conditions, memory];
    this.events = isTraced ? [] : undefined;
    this.ledger = watchLedger(ledger, this);
    this.network = new Network(random);
    this.#products = [
      {name: 'softfail3', price: '$0.02', version: 1},
      {name: PASS, price: '$0.15', version: 1, next: conditions.passes ? random.integer(1, 3) : undefined},
    ];
    this.rpcUrl = conditions.hasNode ? this.network.serve('buyers.node', this.answerNode) : undefined;
    this.#site = this.#publish();
    const count = conditions.buyers + conditions.cheats + conditions.thieves + conditions.frozenBuyers;
    // Without a node, the gate refuses the signature of a contract wallet that has the length of a key's.
    const wallets = conditions.hasNode ? 0.2 : 0;
    this.accounts = Array.from({length: count}, () => quickKey(random, wallets));
    this.chain = new Chain(random, this.accounts, 10_000_000n, random.integer(-2_000, 2_000));
    if (!conditions.settles) return;
    this.settler = settlerAccount(random);
    this.chain.granted = random.chance(0.3) ? GAS * this.chain.baseFee * BigInt(random.integer(0, 400)) : ENOUGH_GAS;
  }

  start(): void {
    const {random, conditions} = this;
    const {buyers, cheats, frozenBuyers} = conditions;
    for (let count = 0; count < conditions.gates; count++) this.#startGate();
    setInterval(this.#mine.bind(this), BLOCK_MS);
    setInterval(() => {
      // A Durable Object loses no write that it has confirmed.
      if (this.isFailing(conditions.areWorkers ? 0 : conditions.powerFailures)) {
        this.trace(() => 'the power fails');
        this.#memory.end('ROLLBACK');
        for (const gate of [...this.#started]) this.kill(gate);
      }
      if (this.isFailing(conditions.stops)) void this.#stop(this.anyGate());
      if (conditions.clockJumps && this.isFailing(0.5)) this.anyGate().jump();
    }, POWER_MS);
    if (conditions.newBuilds) setInterval(this.#build.bind(this), random.integer(10_000, 60_000));
    if (conditions.refunds > 0) void refundSometimes(this);
    const paths = this.#products.map(pathOf);
    if (conditions.flood) setTimeout(() => void flood(this, random.pick(paths)), random.integer(0, 90_000));
    for (const [index, account] of this.accounts.entries()) {
      if (index < buyers) void this.#run(this.#buyAll(account, conditions.intentsPerBuyer));
      else if (index < buyers + cheats) void cheat(this, account, paths);
      else if (index < buyers + cheats + frozenBuyers) void this.#run(this.#buyFrozen(account, paths));
      else {
        void steal(this, account, paths);
        if (conditions.downloads > 0) void stealBySignIn(this, account, paths);
      }
    }
  }

  /** Ends all faults: from now on every host answers correctly. */
  stopFaults(): void {
    this.isFaulty = false;
    if (this.settler) this.chain.granted += ENOUGH_GAS;
    this.trace(() => 'all faults stop');
  }

  /** Requests a path of a gate, with the patience of this world's clients. */
  async get(path: string, headers: Readonly<Record<string, string>> = {}) {
    const gate = this.anyGate();
    const patienceMs = this.isFailing(this.conditions.hangUps) ? this.random.integer(0, 10_000) : PATIENCE_MS;
    const answer = await gate.get(path, headers, patienceMs);
    const isPaid = answer?.status === 200 && Object.keys(headers).length > 0;
    if (!isPaid && answer?.text.includes('for buyers only')) this.violate(`an answer ${answer.status} leaks ${path}`);
    this.trace(() => `${gate.name} answers ${answer?.status ?? 'nothing'} for ${path} ${Object.keys(headers).join()}`);
    return answer;
  }

  /** Returns true if a fault of this frequency happens now. After the faults have stopped, it draws no number. */
  isFailing(frequency: number): boolean {
    return this.isFaulty && this.random.chance(frequency);
  }

  faultNow<Fault extends string>(frequency: number, faults: readonly Fault[]): Fault | 'none' {
    return this.isFailing(frequency) ? this.random.pick(faults) : 'none';
  }

  /** Returns a fault of a host with this frequency. Some faults last for a while. */
  hostFault<F extends string>(host: 'facilitator' | 'node', frequency: number, faults: readonly F[]): F | 'none' {
    const outage = this.#outages.get(host);
    if (outage && this.isFaulty && Date.now() < outage.until) return outage.fault as F;
    this.#outages.delete(host);
    const fault = this.faultNow(frequency, faults);
    if (fault !== 'none' && this.random.chance(0.02)) {
      const [until, block] = [Date.now() + this.random.integer(5_000, 90_000), this.chain.head.number];
      this.#outages.set(host, {fault, until, block});
      this.trace(() => `the ${host} has the fault ${fault} from now on`);
    }
    return fault;
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
    this.violation ??= rule;
  }

  noteDelivery(payer: string, path: string, text: string, isBySignIn = false): void {
    const product = JSON.parse(text) as Product;
    if (pathOf(product) !== path || textOf(product) !== text)
      this.violate(`${payer} received another text for ${path}: ${text}`);
    this.deliveries.push({payer, path, version: product.version, isBySignIn});
    this.trace(() => `${payer} received ${path}`);
  }

  async #buyAll(account: Account, count: number): Promise<void> {
    const {random} = this;
    for (let index = 0; index < count; index++) {
      await sleep(random.integer(0, 6_000));
      const intent = this.#intend(account, pathOf(random.pick(this.#products)));
      const end = Math.max(Date.now(), this.#start + this.conditions.faultsMs) + PROMPT_MS;
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
      await buyFrozen(this, account, this.#intend(account, path));
    }
  }

  #intend({address: payer}: Account, path: string): Intent {
    this.intents.push({payer, path, nonces: []});
    return this.intents.at(-1) as Intent;
  }

  #mine(): void {
    const {random, chain, conditions} = this;
    if (this.settler && this.isFailing(conditions.settlerFaults)) {
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
    for (const {call, order, isSuccess} of chain.head.mined) {
      const key = call.kind === 'nothing' ? '' : keyOf(call.authorization.from, call.authorization.nonce);
      const outcome = isSuccess ? 'succeeds' : 'reverts';
      this.trace(() => `block ${chain.head.number}: ${order?.nonce ?? ''} ${call.kind} ${key} ${outcome}`);
    }
    for (const {from, nonce} of chargesIn(chain.head.mined, this.payees)) this.everPaid.add(keyOf(from, nonce));
    if (!this.isFailing(conditions.reorganisations)) return;
    const depth = random.chance(0.1) ? random.integer(5, 45) : random.integer(1, 4);
    this.trace(() => `the chain takes ${depth} blocks back`);
    chain.reorganise(depth, 0.3);
  }

  /** Waits for an honest buyer. */
  async #run(work: Promise<void>): Promise<void> {
    this.waiting += 1;
    await work.catch((error: unknown) => {
      this.violate(`a client failed: ${String(error)}`);
    });
    this.waiting -= 1;
  }

  /** Starts a process over the ledger, which takes the requests of a former one. */
  #startGate(former?: SimulatedGate): void {
    const gate = new SimulatedGate(this, this.#started.length + 1, this.#site);
    this.gates.push(gate);
    this.#started.push(gate);
    this.trace(() => `${gate.name} starts`);
    if (former) this.gates.splice(this.gates.indexOf(former), 1);
  }

  /** Ends a process, as SIGKILL does; another one starts at once. */
  kill(gate: SimulatedGate): void {
    if (!gate.isAlive) return;
    this.trace(() => `${gate.name} dies`);
    gate.die();
    if (this.gates.includes(gate)) this.#startGate(gate);
  }

  /** Stops a process, as SIGTERM does, while another one takes over. */
  async #stop(gate: SimulatedGate): Promise<void> {
    this.trace(() => `${gate.name} stops`);
    this.#startGate(gate);
    await gate.completed();
    if (!gate.isAlive) return;
    gate.die();
    if (gate.settling.size > 0) this.violate(`${gate.name} has stopped during a settlement`);
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
    changed.version += 1;
    changed.price = this.random.pick(['$0.01', '$0.02', '$0.15']);
    const next = this.random.integer(0, 3);
    if (changed.next !== undefined) changed.next = next;
    this.trace(() => `${changed.name} is built again`);
    this.#site = this.#publish();
    for (const gate of [...this.gates]) gate.publish(this.#site);
  }

  readonly answerNode: Handler = async ({body}) => {
    const {id, method, params} = JSON.parse(body) as {id: number; method: string; params?: unknown[]};
    const {random, conditions} = this;
    const fault = this.hostFault('node', conditions.nodeFaults, NODE_FAULTS);
    if (fault !== 'none') this.trace(() => `the node is asked for ${method}: ${fault}`);
    const answer = (rest: object) => Response.json({jsonrpc: '2.0', id, ...rest});
    if (fault === 'never') await new Promise(() => undefined);
    if (fault === 'slow') await sleep(random.integer(0, 4_000));
    if (fault === '429' || fault === '500') return new Response('try again', {status: Number(fault)});
    if (fault === 'error') return answer({error: {code: -32000, message: 'header not found'}});
    // A node that is behind for a while is stuck at a block.
    const stuckAt = this.#outages.get('node')?.block;
    const behind = stuckAt === undefined ? random.integer(1, 30) : this.chain.head.number - stuckAt;
    const lag = fault === 'behind' ? behind : 0;
    if (method === 'eth_sendRawTransaction') {
      const {nonce = 0, data} = parseTransaction(params?.[0] as Hex);
      if (data === undefined && this.signed.get(nonce)?.use === 'payment')
        this.violate(`the settler fills the nonce ${nonce}, with which it signed a payment`);
    }
    try {
      return answer({result: answerRpc(this.chain, lag, method, params)});
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error;
      return answer({error: {code: error.code, message: error.message}});
    }
  };
}
