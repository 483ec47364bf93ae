import {html} from 'hono/html';
import {paths} from '../../../shared/paths.ts';
import type {UnpagedRecord} from '../../documents/record.ts';
import type {Site} from '../../read/site.ts';
import type {Html} from '../html/layout.ts';

/** How to buy a product: with a wallet in the browser, with a program, or by an agent. */
export function buying(site: Site, {name, price}: UnpagedRecord): Html {
  const path = paths.paid(name);
  const url = site.base_url + path;
  return html`<section class="buy" aria-labelledby="buy">
    <h2 id="buy">Buy</h2>
    <ul class="ways">
      <li><b>In a browser with a wallet:</b> open <a href="${path}">${path}</a>.</li>
      <li>
        <b>With a program:</b> request that address. The answer is 402 with the terms. Send the request again with a
        signed payment of ${price.text}, and the answer is the document. A payment that is refused is not charged.
      </li>
      <li><b>With an agent:</b> give it <a href="/llms.txt">llms.txt</a>, or run <code>frozen mcp</code>.</li>
    </ul>
    <div class="card paper">
      ${code('frozen', 'frozen buy', frozenExample(url, price.text, site))}
      ${code('curl', 'curl', curlExample(url, name))}
      ${code('fetch', '@x402/fetch on Node.js', fetchExample(url, price.text, site))}
    </div>
  </section>`;
}

function code(id: string, title: string, text: string): Html {
  return html`<div class="paper-head">
      <h3>${title}</h3>
      <button type="button" hidden data-copies="${id}" aria-label="Copy: buy with ${title}">Copy</button>
    </div>
    <pre tabindex="0" role="region" aria-label="Buy with ${title}"><code id="${id}">${text}</code></pre> `;
}

/** The command of this tool. It compares the document with the catalogue. Real money needs the option `--network`. */
export function frozenExample(url: string, price: string, {payment}: Payable): string {
  const network = payment.accepts.some(({network}) => network === 'eip155:84532') ? '' : ' --network base';
  return `frozen buy ${url} \\\n  --max ${price.slice(1)}${network} --key-file wallet.key\n`;
}

/** The terms, which curl can read, and the request that carries a payment, which curl can send but not sign. */
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

/** A whole program. It never pays more than the price. */
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
