import {html} from 'hono/html';
import type {ProductRecord} from '../../documents/record.ts';
import {paths} from '../../../shared/paths.ts';
import type {Site} from '../../read/site.ts';
import type {Html} from '../html/layout.ts';

/** What differs between the examples of two products. */
type Filled = Readonly<Record<'name' | 'path' | 'url' | 'price', string>>;

/** How to buy, as code that works as it stands for the first of these products; the script fills in any other. */
export function buying(site: Site, products: readonly ProductRecord[]): Html | undefined {
  const [first] = products;
  if (!first) return undefined;
  const filled = filledFor(site, first);
  const fill = (member: keyof Filled) => html`<span data-fills="${member}">${filled[member]}</span>`;
  return html`<section class="buy" aria-labelledby="how-to-buy">
    <h2 id="how-to-buy">How to buy</h2>
    ${products.length > 1 && choice(site, products)}
    <p class="note">
      Ask for <a href="${filled.path}" data-fills="path">${filled.path}</a> and the answer is 402 with the terms. Send
      the request again with a signed payment of ${fill('price')} and the answer is the document. A payment that is
      refused is not charged.
    </p>
    <div class="card paper">
      ${code('curl', 'curl', curlExample('{url}', '{name}'), fill)}
      ${code('fetch', '@x402/fetch on Node.js', fetchExample('{url}', '{price}', site), fill)}
    </div>
  </section>`;
}

function filledFor({base_url}: Site, {name, price}: ProductRecord): Filled {
  const path = paths.paid(name);
  return {name, path, url: base_url + path, price: price.text};
}

function choice(site: Site, products: readonly ProductRecord[]): Html {
  const options = products.map(product => {
    const {name, path, url, price} = filledFor(site, product);
    return html`<option value="${name}" data-name="${name}" data-path="${path}" data-url="${url}" data-price="${price}">
      ${product.title}
    </option>`;
  });
  return html`<p class="choice" hidden>
      <label for="to-buy">Document</label>
      <select id="to-buy" autocomplete="off">
        ${options}
      </select>
    </p>
    <p class="note" id="unscripted">
      This is how to buy ${products[0]?.title}. For any other document put in its address and price.
    </p>`;
}

function code(id: string, title: string, text: string, fill: (member: keyof Filled) => Html): Html {
  const parts = text.split(/\{(name|url|price)\}/);
  const shown = parts.map((part, index) => (index % 2 === 0 ? part : fill(part as keyof Filled)));
  return html`<div class="paper-head">
      <span class="label">${title}</span>
      <button type="button" hidden data-copies="${id}" aria-label="Copy: buy with ${title}">Copy</button>
    </div>
    <pre tabindex="0" role="region" aria-label="Buy with ${title}"><code id="${id}">${shown}</code></pre>`;
}

/** The terms, which curl can read, and the request that carries a payment, which curl can send and not sign. */
export function curlExample(url: string, name: string): string {
  return `# See the terms: answers 402, charges nothing
curl -s -o ${name}.402 -w '%header{payment-required}' \\
  ${url} | base64 -d

# Get the document with a payment that an x402 client has signed
curl -f -o ${name}.json -H "PAYMENT-SIGNATURE: $PAYMENT" \\
  ${url}
`;
}

/** The part of a site that the example program names: the networks on which it is paid. */
interface Payable {
  readonly payment: {readonly accepts: readonly {readonly network: string}[]};
}

/** A whole program; it never pays more than the price. */
export function fetchExample(url: string, price: string, {payment}: Payable): string {
  const registered = payment.accepts.map(({network}) => `client.register('${network}', new ExactEvmScheme(account));`);
  return `// npm install @x402/fetch @x402/evm viem
import {wrapFetchWithPayment, x402Client} from '@x402/fetch';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {privateKeyToAccount} from 'viem/accounts';

const account = privateKeyToAccount(process.env.PRIVATE_KEY);
const client = new x402Client();
${registered.join('\n')}
client.setSpendControls({maxAmountPerPayment: '${price}'});

const buy = wrapFetchWithPayment(fetch, client);
const response = await buy('${url}');
if (!response.ok) throw new Error(\`not bought: \${response.status}\`);
console.log(await response.json());
`;
}
