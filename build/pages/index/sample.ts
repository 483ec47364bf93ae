import {html} from 'hono/html';
import type {ProductDocuments} from '../../documents/documents.ts';
import {encode} from '../../documents/text.ts';
import {sampleOf} from '../../documents/sample.ts';
import type {Site} from '../../read/site.ts';
import type {Html} from '../html/layout.ts';
import {numberWords} from '../html/words.ts';
import {jsonLines} from './json.ts';

/** Longer samples are shown from their beginning: the page is small, the file is one click away. */
const MOST_LINES = 100;

/** The free sample, as its file has it. */
export function sample(site: Site, {sample: document, computed}: ProductDocuments): Html {
  const {path, bytes} = document;
  const lines = jsonLines(JSON.parse(encode(sampleOf(site, computed))));
  const more = lines.length - MOST_LINES;
  return html`<section class="card paper">
    <div class="paper-head">
      <h3><a href="${path}">Free sample</a></h3>
      <span class="soft">JSON, ${numberWords(bytes)} bytes</span>
    </div>
    <pre
      class="json"
      tabindex="0"
      role="region"
      aria-label="Sample of ${computed.product.title}"
    ><code>${lines.slice(0, MOST_LINES)}${more > 0 && html`<span class="in-0"><i>… and ${numberWords(more)} more lines in the file</i></span>`}</code></pre>
  </section>`;
}
