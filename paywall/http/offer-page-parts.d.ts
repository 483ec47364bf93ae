/** The constant parts of the page of a 402, which `scripts/package/offer-page.js` compiles. */
declare module '#offer-page' {
  interface Inline {
    readonly text: string;
    /** As a Content-Security-Policy names it. */
    readonly digest: string;
  }

  const parts: {
    readonly style: Inline;
    readonly script: Inline;
    /** By CAIP-2: the dollar of x402 there, and what `wallet_addEthereumChain` takes. */
    readonly networks: Readonly<
      Record<string, {name: string; symbol: string; decimals: number; chain?: object} | undefined>
    >;
  };
  export default parts;
}
