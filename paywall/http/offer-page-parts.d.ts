/** The constant parts of the page of a 402, compiled by `scripts/package/offer-page.js`. */
declare module '#offer-page' {
  interface Inline {
    readonly text: string;
    /** The source expression for the Content-Security-Policy. */
    readonly digest: string;
  }

  const parts: {
    readonly style: Inline;
    readonly script: Inline;
    /** For each network (CAIP-2), the dollar token of x402 and the parameter of `wallet_addEthereumChain`. */
    readonly networks: Readonly<
      Record<string, {name: string; symbol: string; decimals: number; chain?: object} | undefined>
    >;
    /** Those of `networks` whose money is worthless. */
    readonly testNetworks: readonly string[];
  };
  export default parts;
}
