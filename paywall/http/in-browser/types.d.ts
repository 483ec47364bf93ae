// What the page of a 402 tells its script, in `data-terms`, and what wallets are (EIP-1193, EIP-6963).

/** The terms of one document. `offer-page.ts` writes them. */
interface Terms {
  readonly title: string;
  /** The moment of the document, for people. */
  readonly asOf: string;
  /** Absolute address of the document, which a payment names. */
  readonly url: string;
  /** What it is saved as. */
  readonly file: string;
  /** Its content type. */
  readonly type: string;
  readonly snapshot: {readonly sha256: string; readonly as_of: string};
  /** How a wallet can pay; none where it cannot. */
  readonly ways: readonly Way[];
}

/** A network to pay on. */
interface Way {
  /** The requirements of x402 as the 402 has them, which a payment echoes. */
  readonly accepted: {
    readonly network: string;
    readonly asset: string;
    readonly amount: string;
    readonly payTo: string;
    readonly maxTimeoutSeconds: number;
    readonly extra: {readonly name: string; readonly version: string};
  };
  readonly chainId: number;
  /** Of the network, for people. */
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  /** What `wallet_addEthereumChain` takes, where the network is known. */
  readonly chain: {readonly blockExplorerUrls?: readonly string[]} | null;
}

/** A signed payment, kept until its document is saved. */
interface Payment {
  /** The value of PAYMENT-SIGNATURE. */
  readonly header: string;
  readonly way: Way;
  readonly payer: string;
  readonly nonce: string;
  /** Whether the document has arrived once. */
  readonly arrived?: boolean;
}

interface Wallet {
  readonly name: string;
  /** A `data:` address, or nothing. */
  readonly icon: string;
  readonly provider: Provider;
}

interface Provider {
  request(question: {method: string; params?: readonly unknown[]}): Promise<unknown>;
  on?(event: 'accountsChanged' | 'chainChanged', listener: () => void): unknown;
}

interface Window {
  readonly ethereum?: Provider;
}

interface WindowEventMap {
  'eip6963:announceProvider': CustomEvent<{
    readonly info: {readonly uuid: string; readonly name: string; readonly icon: string};
    readonly provider: Provider;
  }>;
}

/** Something that the reader can do. */
interface Action {
  readonly text: string;
  readonly run: () => unknown;
  readonly icon?: string;
}

/** What stands in the checkout at a moment. */
interface View {
  readonly say: string;
  readonly tone?: 'choice' | 'busy' | 'fault' | 'done' | undefined;
  readonly facts?: readonly (readonly [term: string, ...(Node | string)[]])[];
  /** The first is the one that most will take. */
  readonly actions?: readonly Action[];
  readonly more?: readonly Node[];
}
