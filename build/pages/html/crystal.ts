import {html} from 'hono/html';

const SPOKES = [0, 60, 120, 180, 240, 300];

/** The mark of the site: a snow crystal of six equal arms. It is drawn once, for the page and as its icon. */
export const crystalShape = html`<g fill="none" stroke-width="3.2" stroke-linecap="round" stroke-linejoin="round">
  ${SPOKES.map(
    angle => html`<path d="M32 32V7M32 15l-7-6M32 15l7-6M32 24l-6-5M32 24l6-5" transform="rotate(${angle} 32 32)" />`,
  )}
</g>`;

export const crystal = html`<svg viewBox="0 0 64 64" aria-hidden="true" class="crystal">${crystalShape}</svg>`;
