// The types of the terms in `data-terms`, of wallets (EIP-1193, EIP-6963), and of the content of the checkout.

/** The terms of one document, written by `offer-page.ts`. */
interface Terms {
  readonly title: string;
  /** The time of the snapshot, for display. */
  readonly asOf: string;
  /** The absolute URL of the document, which a payment names as its resource. */
  readonly url: string;
  /** The file name for saving the document. */
  readonly file: string;
  /** The content type of the document. */
  readonly type: string;
  readonly snapshot: {readonly sha256: string; readonly as_of: string};
  /** The ways in which a wallet can pay. Empty if it cannot pay. */
  readonly ways: readonly Way[];
}

/** A way to pay: a network and its payment requirements. */
interface Way {
  /** The payment requirements of x402 in the 402, which a payment echoes. */
  readonly accepted: {
    readonly network: string;
    readonly asset: string;
    readonly amount: string;
    readonly payTo: string;
    readonly maxTimeoutSeconds: number;
    readonly extra: {readonly name: string; readonly version: string};
  };
  readonly chainId: number;
  /** The name of the network, for display. */
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  /** The parameter of `wallet_addEthereumChain`, or null if it is not known. */
  readonly chain: {readonly blockExplorerUrls?: readonly string[]} | null;
}

/** A signed payment. The browser stores it until its document is saved, so its members must not be renamed. */
interface Payment {
  /** The value of PAYMENT-SIGNATURE. */
  readonly header: string;
  readonly way: Way;
  readonly payer: string;
  readonly nonce: string;
  /** True if the document has arrived at least once. */
  readonly arrived?: boolean;
}

interface Wallet {
  readonly name: string;
  /** A `data:` URL, or empty. */
  readonly icon: string;
  readonly provider: Provider;
}

interface Provider {
  request(call: {method: string; params?: readonly unknown[]}): Promise<unknown>;
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

/** A button. */
interface Action {
  readonly text: string;
  readonly run: () => unknown;
  readonly icon?: string;
}

/** The content of the checkout. */
interface View {
  readonly text: string;
  /** The class of the message in `offer-page.css`. */
  readonly tone?: 'choice' | 'busy' | 'error' | 'done' | undefined;
  readonly facts?: readonly (readonly [term: string, ...(Node | string)[]])[];
  /** The first is the primary button. */
  readonly actions?: readonly Action[];
  readonly more?: readonly Node[];
}
