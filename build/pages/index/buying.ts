import {html} from 'hono/html';
import type {ProductRecord} from '../../documents/record.ts';
import {paths} from '../../../shared/paths.ts';
import type {Site} from '../../read/site.ts';
import type {Html} from '../html/layout.ts';

/** How to buy one product, as code that works as it stands. */
export function buying(site: Site, {name, title, price}: ProductRecord): Html {
  const pathToBuy = paths.paid(name);
  const url = site.base_url + pathToBuy;
  return html`<section class="buy">
    <h3>How to buy</h3>
    <p class="note">
      Ask for <a href="${pathToBuy}">${pathToBuy}</a> and the answer is 402 with the terms. Send the request again with
      a signed payment of ${price.text} and the answer is the document. A payment that is refused is not charged.
    </p>
    <div class="card paper">
      ${code(`${name}-curl`, 'curl', title, curlExample(url, name))}
      ${code(`${name}-fetch`, '@x402/fetch on Node.js', title, fetchExample(url, price.text, site))}
    </div>
  </section>`;
}

function code(id: string, title: string, what: string, text: string): Html {
  return html`<div class="paper-head">
      <span class="label">${title}</span>
      <button type="button" hidden data-copies="${id}" aria-label="Copy: buy ${what} with ${title}">Copy</button>
    </div>
    <pre tabindex="0" role="region" aria-label="Buy ${what} with ${title}"><code id="${id}">${text}</code></pre>`;
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
