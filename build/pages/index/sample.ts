import {html} from 'hono/html';
import type {ProductRecord} from '../../documents/record.ts';
import {paths} from '../../../shared/paths.ts';
import type {Html} from '../html/layout.ts';
import {numberWords} from '../html/words.ts';
import {jsonLines} from './json.ts';

/** Longer samples are shown from their beginning: the page is small, the file is one click away. */
const MOST_LINES = 100;

/** The free sample, as its file has it. */
export function sample({name, title, sample: {text, more: unseen}, documents}: ProductRecord): Html {
  const lines = jsonLines(text);
  const more = lines.length - MOST_LINES + unseen;
  return html`<section class="card paper">
    <div class="paper-head">
      <h3><a href="${paths.sample(name)}">Free sample</a></h3>
      <span class="soft">JSON, ${numberWords(documents.sample.bytes)} bytes</span>
    </div>
    <pre
      class="json"
      tabindex="0"
      role="region"
      aria-label="Sample of ${title}"
    ><code>${lines.slice(0, MOST_LINES)}${more > 0 && html`<span class="in-0"><i>… and ${numberWords(more)} more lines in the file</i></span>`}</code></pre>
  </section>`;
}
