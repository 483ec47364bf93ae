import {englishCount, englishNumber} from '../../../shared/english.ts';
import {html} from 'hono/html';
import {paths, type DocumentName} from '../../../shared/paths.ts';
import type {PaidContent, UnpagedRecord} from '../../documents/record.ts';
import {listedSources} from '../../documents/catalogue.ts';
import type {ListedSource} from '../../../shared/shapes.ts';
import {type Html, dateAndTime} from '../html/layout.ts';
import {paidFor, isWebAddress, namesInWords, shortened} from '../html/words.ts';
import {columnTitle} from './examples.ts';
import type {Site} from '../../read/site.ts';
import type {Extent} from './product-page.ts';

const MOST_LENGTH = 160;
const MOST_NAMED = 3;

/** Returns what a product costs and contains, how to buy it, and its free documents. */
export function offer(product: UnpagedRecord): Html {
  const {name, price, published, next_expected, freezes, paidContent, pass, documents} = product;
  const {as_of} = published;
  const {bytes, sha256} = documents.paid;
  const titled = (column: string) => columnTitle(column, product.columnWords);
  // The script in the reader's browser fills in the age.
  const age = html`<span class="soft" data-as-of="${as_of}" hidden></span>`;
  return html`<section class="offer card" aria-label="Offer">
    <p><span class="price">${price.text}</span> <span class="soft">${paidFor(product)}</span></p>
    <a class="button" href="#buy">Buy</a>
    <dl>
      ${pass && fact('A pass', 'Pay once. Later snapshots have the same address: sign in with the wallet that paid. That costs nothing.')}
      ${fact('What you get', soldIn(paidContent, paidContent.columns.map(titled)))}
      ${fact('Frozen as of', html`${dateAndTime(as_of)} ${age}`)}
      ${next_expected !== undefined && fact('Next snapshot', dateAndTime(next_expected))}
      ${listedSources(freezes).map(source => fact('Source', sourceWords(source)))}
      ${fact('File', html`JSON, ${englishNumber(bytes)} bytes, SHA-256 <code>${sha256}</code>`)}
      ${fact('Free', freeDocuments(name))}
    </dl>
  </section>`;
}

function fact(name: string, value: string | Html): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div> `;
}

/** Title, description, licences and origin of a source. */
function sourceWords({name, title = name, description, licenses = [], sources = []}: ListedSource): Html {
  const linked = ({name, title = name, path}: NonNullable<ListedSource['licenses']>[number]) =>
    isWebAddress(path)
      ? html`<a href="${path}">${shortened(title ?? path, MOST_LENGTH)}</a> `
      : html`${shortened(title ?? path ?? '', MOST_LENGTH)} `;
  return html`${shortened(title, MOST_LENGTH)}
  ${description !== undefined && html`<p class="soft">${shortened(description, MOST_LENGTH)}</p>`}
  ${licenses.length > 0 && html`<p class="soft">Licence: ${licenses.slice(0, MOST_NAMED).map(linked)}</p>`}
  ${sources.length > 0 && html`<p class="soft">From: ${sources.slice(0, MOST_NAMED).map(linked)}</p>`}`;
}

const FREE: readonly (readonly [DocumentName, title: string])[] = [
  ['sample', 'Sample'],
  ['history', 'History'],
  ['paidSchema', 'Schema'],
  ['sampleSchema', 'Schema of the sample'],
];

function freeDocuments(name: string): Html {
  return html`<ul class="inline">
    ${FREE.map(([document, title]) => html`<li><a href="${paths[document](name)}">${title}</a></li> `)}
  </ul>`;
}

/** `8 rows, each with url and class. The figures are included.` */
function soldIn({type, sold, total, holds}: PaidContent, columns: readonly string[]): string {
  const rest = 'The figures are included.';
  if (type === 'events') return `${englishCount(sold, 'signed event')}.`;
  if (holds)
    return `${namesInWords(holds)}: the complete ${holds.length === 1 ? 'document' : 'documents in one'}. ${rest}`;
  if (type === 'rows' && total === 0) return 'Only the figures: this snapshot has no rows.';
  if (type === 'document') return `A document with ${namesInWords(columns)}. ${rest}`;
  const some =
    sold < total ? `The first ${englishNumber(sold)} of ${englishNumber(total)} rows` : englishCount(total, 'row');
  return `${some}${total === 1 ? '' : ', each'} with ${namesInWords(columns)}. ${rest}`;
}

/** Returns the first lines of the free sample, and a link to it. */
export function sample({name, title, documents}: UnpagedRecord, text: string, most: number): Html {
  const link = html`<a href="${paths.sample(name)}">Free sample</a>`;
  const size = `JSON, ${englishNumber(documents.sample.bytes)} bytes`;
  if (most === 0) return html`<p class="soft">${link}: ${size}</p>`;
  const lines = text.trimEnd().split('\n');
  const more = lines.length - most;
  return html`<section class="card paper">
    <div class="paper-head">
      <h2>${link}</h2>
      <span class="soft">${size}</span>
    </div>
    <pre
      class="json"
      tabindex="0"
      role="region"
      aria-label="Sample of ${title}"
    ><code>${lines.slice(0, most).join('\n')}</code></pre>
    ${more > 0 && html`<p class="claim">${englishCount(more, 'more line')} in the file.</p>`}
  </section>`;
}

/** Returns how to buy a product: with a wallet in the browser, with a program, or by an agent. */
export function buying(site: Site, {name, price}: UnpagedRecord, {isBrief = false, isShortest = false}: Extent): Html {
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
      ${!isBrief && code('curl', 'curl', curlExample(url, name))}
      ${!isShortest && code('fetch', '@x402/fetch on Node.js', fetchExample(url, price.text, site))}
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

/** The command of this package, which compares the document with the catalogue. Real money needs the option `--network`. */
function frozenExample(url: string, price: string, {payment}: Payable): string {
  const network = payment.accepts.some(({network}) => network === 'eip155:84532') ? '' : ' --network base';
  return `frozen buy ${url} \\\n  --max ${price.slice(1)}${network} --key-file wallet.key\n`;
}

/** Returns curl commands: one that shows the terms, and one that sends a payment, which curl cannot sign. */
export function curlExample(url: string, name: string): string {
  return `# See the terms: answers 402, charges nothing
curl -s -o ${name}.402 -w '%header{payment-required}' \\
  ${url} | base64 -d

# Get the document with a payment that an x402 client has signed
curl -f -o ${name}.json -H "PAYMENT-SIGNATURE: $PAYMENT" \\
  ${url}
`;
}

/** The part of a site that the example program needs: its networks. */
interface Payable {
  readonly payment: {readonly accepts: readonly {readonly network: string}[]};
}

/** Returns a complete program, which never pays more than the price. */
export function fetchExample(url: string, price: string, {payment}: Payable): string {
  const registered = payment.accepts.map(({network}) => `client.register('${network}', new ExactEvmScheme(account));`);
  return `// npm install @x402/fetch @x402/extensions @x402/evm viem
import {wrapFetchWithPayment, x402Client} from '@x402/fetch';
import {wrapFetchWithSIWx} from '@x402/extensions/sign-in-with-x';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {privateKeyToAccount} from 'viem/accounts';

const account = privateKeyToAccount(process.env.PRIVATE_KEY);
const client = new x402Client();
${registered.join('\n')}
client.setSpendControls({maxAmountPerPayment: '${price}'});

// If the site has sign-in, a lost document is not paid again.
const buy = wrapFetchWithPayment(wrapFetchWithSIWx(fetch, account), client);
const response = await buy('${url}');
if (!response.ok) throw new Error(\`not bought: \${response.status}\`);
console.log(await response.json());
`;
}
