import type {Page} from '../extra/playwright-core.js';
import {toHex, type Hex, type TypedDataDefinition} from 'viem';
import type {PrivateKeyAccount} from 'viem/accounts';
import {baseSepolia} from 'viem/chains';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';

/** A request to a wallet (EIP-1193). */
export interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** An error response of a wallet. */
export class WalletError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const declined = () => new WalletError(4001, 'User rejected the request.');

const ETHEREUM = 1;

/**
 * A wallet in the browser. It signs with a real account and uses the local chain. A test decides the answers of its
 * person.
 */
export class TestWallet {
  account: PrivateKeyAccount;
  chainId: number = baseSepolia.id;
  readonly known = new Set<number>([ETHEREUM, baseSepolia.id]);
  /** Called before each response. If it throws an error, that is the response. */
  before: (question: Question) => unknown = () => undefined;
  readonly asked: string[] = [];
  readonly #chain: LocalChain;

  constructor(account: PrivateKeyAccount, chain: LocalChain) {
    this.account = account;
    this.#chain = chain;
  }

  /** Adds it to a page, announced under each name (EIP-6963), or as the global provider. */
  async moveInto(page: Page, names: readonly string[] = ['Test Wallet'], icon = ''): Promise<void> {
    await page.exposeFunction('askWallet', (question: Question) => this.#answer(question));
    await page.addInitScript({content: provided(names, icon)});
  }

  /** Changes its account or network, and emits the event. */
  async change(page: Page, to: {account?: PrivateKeyAccount; chainId?: number}): Promise<void> {
    Object.assign(this, to);
    await page.evaluate(`tellOfWallet('${to.account ? 'accountsChanged' : 'chainChanged'}')`);
  }

  async #answer(question: Question): Promise<{result?: unknown; error?: {code: number; message: string}}> {
    this.asked.push(question.method);
    try {
      await this.before(question);
      return {result: await this.#result(question)};
    } catch (error) {
      if (!(error instanceof WalletError)) throw error;
      return {error: {code: error.code, message: error.message}};
    }
  }

  async #result({method, params}: Question): Promise<unknown> {
    const [first, second] = params as [{chainId: string} & Record<string, string>, string];
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return [this.account.address];
      case 'eth_chainId':
        return toHex(this.chainId);
      case 'wallet_switchEthereumChain':
        if (!this.known.has(Number(first.chainId))) throw new WalletError(4902, 'Unrecognized chain ID.');
        this.chainId = Number(first.chainId);
        return null;
      case 'wallet_addEthereumChain':
        this.known.add((this.chainId = Number(first.chainId)));
        return null;
      case 'eth_call':
        return (await this.#chain.client.call({to: first['to'] as Hex, data: first['data'] as Hex})).data;
      case 'eth_signTypedData_v4':
        return this.account.signTypedData(JSON.parse(second) as TypedDataDefinition);
      default:
        throw new WalletError(4200, `${method} is not supported`);
    }
  }
}

/** Runs in the page, before the page's script. It is text, because tsx adds calls to functions. */
const provided = (names: readonly string[], icon: string) => `{
  const listeners = [];
  const provider = {
    async request({method, params = []}) {
      const {result, error} = await askWallet({method, params});
      if (error) throw Object.assign(new Error(error.message), {code: error.code});
      return result;
    },
    on: (event, listener) => listeners.push([event, listener]),
  };
  window.tellOfWallet = event => {
    for (const [name, listener] of listeners) if (name === event) listener();
  };
  const names = ${JSON.stringify(names)};
  if (names.length === 0) window.ethereum = provider;
  addEventListener('eip6963:requestProvider', () => {
    for (const name of names) {
      const info = {uuid: name, name, icon: ${JSON.stringify(icon)}, rdns: 'example.wallet'};
      dispatchEvent(new CustomEvent('eip6963:announceProvider', {detail: {info, provider}}));
    }
  });
}`;
